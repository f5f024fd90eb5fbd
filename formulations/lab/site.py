# SPDX-License-Identifier: BSD-3-Clause
"""The lab as files of a web site: a page whose answers come from a worker of the browser, and need no Python.

``page/solver`` solves and proves; the page, its menu and its links are those of the server. The files are index.html,
with the menu in it, lab.js, solver.js and lab.css.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from formulations.lab.desk import menu, setting_of_two
from formulations.lab.drawing import problem_shown
from formulations.lab.joining import join_modules, join_styles
from formulations.lab.settings import IN_BROWSER, MOST_IN_BROWSER
from qpkernels.arrays.files import replacing

__all__ = ["VIEWS_IN_BROWSER", "menu_of_site", "write_site"]

VIEWS_IN_BROWSER = ("picture", "kkt", "losses")
"""Views that ``page/solver/views.js`` draws."""

_PAGE = Path(__file__).parent / "page"

_LINK = re.compile(r'^<link rel="(?:stylesheet|modulepreload)".*\n', re.MULTILINE)

_SCRIPT = '<script type="module" src="main.js"></script>'

_HEAD = """\
<meta name="description" content="Draw points, and a support vector machine answers in the browser, proved optimal.">
<link rel="stylesheet" href="lab.css">
<script type="application/json" id="menu">MENU</script>
<script type="module" src="lab.js"></script>"""


def write_site(folder: Path) -> None:
    """Write the files into a folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    # Within a script, what looks like its end would be.
    listed = json.dumps(menu_of_site(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    page = (_PAGE / "index.html").read_text(encoding="utf-8")
    files = {
        "index.html": _LINK.sub("", page).replace(_SCRIPT, _HEAD.replace("MENU", listed)),
        "lab.js": join_modules(_PAGE, "site.js"),
        "solver.js": join_modules(_PAGE, "solver/worker.js"),
        "lab.css": join_styles(_PAGE),
    }
    for name, content in files.items():
        with replacing(folder / name) as draft:
            draft.write(content.encode())


def menu_of_site() -> Mapping[str, Any]:
    """Return the part of the menu that the browser answers, and what it says of the rest."""
    whole = menu()
    return {
        **whole,
        "machines": [_with_problem(each) for each in whole["machines"] if each["name"] in IN_BROWSER],
        "views": [each for each in whole["views"] if each["name"] in VIEWS_IN_BROWSER],
        "presets": [each for each in whole["presets"] if each["setting"]["machine"]["name"] in IN_BROWSER],
        "in_python": {each["name"]: each["title"] for each in whole["machines"] if each["name"] not in IN_BROWSER},
        "files": [],
        "most_points": MOST_IN_BROWSER,
        "more": f"Your browser solves and proves this by itself, up to {MOST_IN_BROWSER} points; nothing is sent "
        f"anywhere. With Python there are {len(whole['machines'])} machines, {len(whole['views'])} views and "
        f"{whole['most_points']} points: install the package qpkernels, then type qpkernels lab in a terminal.",
    }


def _with_problem(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a machine of the menu with the problem that it states, which a server sends with every answer."""
    refusals = {view: words for view, words in entry["refusals"].items() if view in VIEWS_IN_BROWSER}
    return {**entry, "refusals": refusals, "problem": problem_shown(setting_of_two(entry["name"]).state())}
