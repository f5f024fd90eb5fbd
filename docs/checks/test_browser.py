# SPDX-License-Identifier: BSD-3-Clause
"""The site in a real browser: it searches, sets formulas, fits a phone, and can be read in the dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response

PAGES = (
    "index",
    "learn/index",
    "learn/margin",
    "learn/kernels",
    "use/index",
    "use/tour",
    "build-on/index",
    "build-on/certificates",
    "models/index",
    "models/soft-margin",
    "models/conventions",
    "gallery/index",
    "gallery/textbook/w3_cost_and_width",
    "records/index",
    "performance/README",
    "catalogue",
    "api/index",
    "api/generated/formulations.SoftMargin",
    "concordance",
    "errata",
    "glossary",
    "lab",
    "why",
    "questions",
    "cheat-sheet",
    "stability",
)
"""One page of each kind at least."""

FIRST_PAGE, LEARN_PAGE = 700_000, 1_300_000
"""Bytes of the first page, and of a chapter without the lab within it, with all that they load."""

UNFORMATTED = """() => [...document.querySelectorAll("article p, article li, article td")]
  .filter((node) => !node.querySelector("code, pre, mjx-container, .math"))
  .map((node) => node.textContent).filter((text) => /\\$\\$|\\\\\\(|\\\\frac|\\\\sum/.test(text))"""

TABLES = """() => [...document.querySelectorAll("article table")].filter((table) => table.offsetParent).map((table) => {
  const broken = [...table.querySelectorAll("td")].flatMap((cell) => [...cell.querySelectorAll("p, code")])
    .flatMap((node) => [...node.childNodes]).filter((node) => node.nodeType === Node.TEXT_NODE)
    .flatMap((node) => [...node.textContent.matchAll(/\\d[\\d.,]*(e-\u2060?\\d+)?/g)].filter((found) => {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      return new Set([...range.getClientRects()].filter((box) => box.width).map((box) => box.top)).size > 1;
    }).map((found) => found[0]));
  return table.scrollWidth > table.parentElement.clientWidth + 1 ? ["too wide", ...broken] : broken;
}).flat()"""

CONTRASTS = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const colour = channels(getComputedStyle(each).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const parts = ["h1", "h2", "p", "li", "a", "td", "pre span"].map((tag) => `article ${tag}`).join();
  return [...document.querySelectorAll(parts)]
    .filter((node) => node.offsetParent && node.textContent.trim())
    .map((node) => {
      const [a, b] = [light(channels(getComputedStyle(node).color)), light(behind(node))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent.trim().slice(0, 40)];
    });
}"""


class Opened:
    """A page, with what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.came: list[Response] = []
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("response", lambda response: self.came.append(response))

    @property
    def elsewhere(self) -> list[str]:
        """What was not loaded from the site."""
        return [response.url for response in self.came if not response.url.startswith("http://127.0.0.1:")]

    @property
    def bytes(self) -> int:
        """The size of all that was loaded, as it lies on the disk."""
        return self.weight()

    def weight(self, without: str = "nothing") -> int:
        """Return the size of what was loaded from elsewhere than a folder."""
        return sum(len(each.body()) for each in self.came if each.ok and f"/{without}/" not in each.url)


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens a page in a window of some width, light or dark."""
    contexts = []

    def at(name: str, width: int = 1300, scheme: Any = "light") -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(f"{address}/{name}.html", wait_until="networkidle")
        found.page.wait_for_function("!window.MathJax?.startup || window.MathJax.startup.promise.then(() => true)")
        return found

    yield at
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_renders_without_a_fault(name: str, opened: Callable[..., Opened]) -> None:
    found = opened(name)
    assert found.faults == []
    assert found.elsewhere == []
    page = found.page
    assert page.locator("mjx-merror").count() == 0
    assert page.evaluate(UNFORMATTED) == []
    assert page.locator(".math").count() <= page.locator("mjx-container").count()
    broken = "() => [...document.images].filter((each) => each.complete && !each.naturalWidth).map((each) => each.src)"
    assert page.evaluate(broken) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(name: str, opened: Callable[..., Opened]) -> None:
    page = opened(name, width=390).page
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    size = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('article p, article li')).fontSize)")
    assert size >= 14


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read(name: str, scheme: str, opened: Callable[..., Opened]) -> None:
    page = opened(name, scheme=scheme).page
    shown = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in shown[shown.index("(") + 1 : -1].split(",")[:3]) < 384) == (scheme == "dark")
    contrasts = page.evaluate(CONTRASTS)
    assert contrasts
    assert [words for ratio, words in contrasts if ratio < 4.5] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("infeasible", "use/infeasible"),
        ("install", "index"),
        ("XOR", "gallery/pictures/exclusive_or"),
        ("overfitting", "use/choose-parameters"),
        ("quantile", "use/quantiles"),
        ("SoftMargin", "api/generated/formulations.SoftMargin"),
    ],
)
def test_the_search_shows_first(words: str, page: str, opened: Callable[..., Opened]) -> None:
    found = opened("search")
    found.page.fill("article input[name=q], main input[name=q]", words)
    found.page.keyboard.press("Enter")
    found.page.wait_for_selector("#search-results li a")
    assert found.faults == []
    links = found.page.locator("#search-results li a").evaluate_all("(links) => links.map((link) => link.href)")
    assert links[0].partition("?")[0].partition("#")[0].endswith(f"/{page}.html")
    assert [link for link in links if "#index-" in link] == []  # its page is listed already


@pytest.mark.parametrize(("name", "most"), [("index", FIRST_PAGE), ("learn/kernels", LEARN_PAGE)])
def test_a_page_is_light(name: str, most: int, opened: Callable[..., Opened]) -> None:
    assert opened(name).weight(without="lab") <= most


@pytest.mark.parametrize(
    "name", ["performance/README", "performance/everyday", "trust/README", "models/index", "catalogue"]
)
def test_a_table_fits_and_breaks_no_number(name: str, opened: Callable[..., Opened]) -> None:
    assert opened(name, 1400).page.evaluate(TABLES) == []


def test_a_figure_of_several_panels_is_swiped_on_a_phone_and_stands_above_its_code(
    opened: Callable[..., Opened],
) -> None:
    page = opened("learn/index", width=390).page
    picture, code = (
        page.locator("article img").first.bounding_box(),
        page.locator("article details").first.bounding_box(),
    )
    assert picture is not None
    assert code is not None
    assert picture["width"] > 500
    assert picture["y"] + picture["height"] <= code["y"]


def test_a_figure_is_dark_in_the_dark_and_the_map_of_models_is_links(opened: Callable[..., Opened]) -> None:
    page = opened("learn/margin", scheme="dark").page
    assert "invert" in page.evaluate("() => getComputedStyle(document.querySelector('article img')).filter")
    assert opened("models/index").page.locator(".model-map a").count() > 30


def test_only_a_page_with_many_headings_has_its_contents_beside_it(opened: Callable[..., Opened]) -> None:
    assert opened("use/quantiles", 1400).page.locator(".bd-sidebar-secondary a").count() >= 5
    assert opened("citing", 1400).page.locator(".bd-sidebar-secondary").count() == 0


def test_the_doors_open(opened: Callable[..., Opened]) -> None:
    for door, title in (("Learn", "Learn"), ("Use", "Use"), ("Lab", "The lab"), ("Reference", "Reference")):
        page = opened("index").page
        page.locator("article .sd-card", has_text=door).first.click()
        page.wait_for_load_state("networkidle")
        assert page.locator("article h1").text_content().startswith(title)


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
def test_the_first_page_shows_a_picture_and_code_without_scrolling(
    opened: Callable[..., Opened], size: tuple[int, int]
) -> None:
    page = opened("index", size[0]).page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for part in ("article img", "article .cell_input"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1]


LAB = 250_000
"""Bytes of the lab that solves in the browser."""


@pytest.mark.parametrize("width", [390, 1400])
def test_the_lab_proves_an_answer_without_a_server(opened: Callable[..., Opened], width: int) -> None:
    lab = opened("lab/index", width)
    lab.page.wait_for_function("window.lab?.frame?.facts.proof?.status === 'optimal'")
    assert not lab.faults
    assert not lab.elsewhere
    assert lab.bytes <= LAB
