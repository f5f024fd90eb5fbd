# SPDX-License-Identifier: BSD-3-Clause
"""The lab within a page: the directive ``lab`` shows a machine that the reader changes by hand.

The argument is a preset of ``formulations/lab/presets.py``, and each option changes a part of it; the text is what the
reader is to do, in Markdown::

    :::{lab} outlier
    :machine: soft-margin C=10
    :kernel: rbf gamma=0.5

    Move the outlier away from the line. At which distance does the line turn?
    :::

Without an argument the points are given, one after the other: x1, x2 and the class 1 or -1, or x and y of a
regression. The window is then fitted to them::

    :::{lab}
    :machine: soft-tube C=10 epsilon=0.2
    :kernel: linear
    :points: 0 0.1, 1 0.9, 2 2.2, 3 2.8

    Widen the tube until no sample is a support vector.
    :::

``:kernel:`` takes a sum as ``linear + rbf gamma=2``, ``:view:`` a view that the browser draws (``kkt`` or ``losses``),
``:window:`` its four ends ``-2 2 -1.5 1.5``, and ``:title:`` names the frame for readers who hear it. The names and
ranges are those of ``qpkernels lab``, and one that does not exist is an error at its line. The frame is loaded when the
reader comes near it, and the link below it opens the whole lab.
"""

from dataclasses import replace
from html import escape
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from formulations.lab.presets import PRESETS
from formulations.lab.settings import IN_BROWSER, MOST_IN_BROWSER, Setting, fitted_window, read_setting
from formulations.lab.site import VIEWS_IN_BROWSER
from formulations.lab.views import VIEWS
from qpkernels.errors import ParameterError, QPKernelsError

PARTS = ("machine", "kernel", "points", "window", "view")


class LabFrame(nodes.General, nodes.Element):
    """The lab with a setting."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directive."""
    app.add_directive("lab", LabDirective)
    app.add_node(LabFrame, html=(write_frame, None), text=(pass_by, None), latex=(pass_by, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class LabDirective(SphinxDirective):
    """The lab with a setting, and what to do in it."""

    optional_arguments = 1
    has_content = True
    option_spec = dict.fromkeys((*PARTS, "title"), directives.unchanged_required)

    def run(self) -> list[nodes.Node]:
        """Return the frame with its text."""
        try:
            setting = self.setting()
        except (QPKernelsError, ValueError) as error:
            raise self.error(str(error)) from None
        title = self.options.get("title", f"The lab: {setting.machine.choice.title.lower()}, to change by hand")
        box = nodes.container(classes=["lab-frame"])
        self.state.nested_parse(self.content, self.content_offset, box)
        box += LabFrame(fragment=setting.fragment(), title=title, tall=setting.view.name != "picture")
        return [box]

    def setting(self) -> Setting:
        """Return what the argument and the options state."""
        stated: dict[str, Any] = {}
        if self.arguments:
            if self.arguments[0] not in PRESETS:
                raise ParameterError(f"a preset is one of {', '.join(PRESETS)}, but {self.arguments[0]} came.")
            stated = dict(PRESETS[self.arguments[0]].setting.stated())
        options = self.options
        if "machine" in options:
            stated["machine"] = chosen(options["machine"])
        if "kernel" in options:
            stated["kernel"] = [chosen(term) for term in options["kernel"].split("+")]
        if "points" in options:
            stated["points"] = [numbers(point) for point in options["points"].split(",")]
            stated.pop("window", None)
        if "window" in options:
            stated["window"] = numbers(options["window"])
        if "view" in options:
            stated["view"] = {"name": options["view"]}
        setting = for_browsers(read_setting(stated, {name: VIEWS[name] for name in VIEWS_IN_BROWSER}))
        if "window" in stated:
            return setting
        return replace(setting, window=fitted_window(setting.points, setting.task))


def for_browsers(setting: Setting) -> Setting:
    """Return a setting that browsers answer, and refuse any other."""
    if setting.machine.choice.name not in IN_BROWSER or len(setting.points) > MOST_IN_BROWSER:
        raise ParameterError(
            f"browsers solve {', '.join(sorted(IN_BROWSER))} for at most {MOST_IN_BROWSER} points, but "
            f"{setting.machine.choice.name} of {len(setting.points)} points came."
        )
    return setting


def chosen(words: str) -> dict[str, Any]:
    """Return the choice that words such as ``rbf gamma=0.5`` state."""
    name, *values = words.split() or [""]
    return {"name": name, "values": {key: float(value) for key, _, value in (each.partition("=") for each in values)}}


def numbers(words: str) -> list[float]:
    """Return the numbers that words hold."""
    return [float(word) for word in words.split()]


def write_frame(translator: Any, node: LabFrame) -> None:
    """Write the frame, and the link that opens the lab in full."""
    lab = translator.builder.get_relative_uri(translator.builder.current_docname, "lab/index")
    fragment, title = escape(node["fragment"]), escape(node["title"])
    height = "lab-tall" if node["tall"] else ""
    translator.body.append(
        f'<iframe class="{height}" src="{lab}?compact{fragment}" title="{title}" loading="lazy"></iframe>\n'
        f'<p class="lab-full"><a href="{lab}{fragment}">Open this in the whole lab</a></p>\n'
    )
    raise nodes.SkipNode


def pass_by(translator: Any, node: LabFrame) -> None:
    """Write nothing where there is no browser."""
    del translator, node
    raise nodes.SkipNode
