# SPDX-License-Identifier: BSD-3-Clause
"""The lab as files of a web site: a page whose answers come from a worker of the browser, and need no Python.

``page/solver`` solves and proves; the page, its menu and its links are those of the server. The files are index.html,
with the menu in it, lab.js, solver.js and lab.css.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from formulations.lab.desk import menu
from formulations.lab.drawing import problem_shown
from formulations.lab.joining import join_modules, join_styles
from formulations.lab.settings import MACHINES, LabTask, read_setting
from formulations.lab.views import VIEWS
from qpkernels.arrays.files import replacing

__all__ = ["write_site"]

_PAGE = Path(__file__).parent / "page"

_FEW = {LabTask.CLASSIFICATION: [[0, 0, 1], [1, 1, -1]], LabTask.REGRESSION: [[0, 0], [1, 1]]}

_HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Draw points, and a support vector machine answers in the browser, proved optimal.">
<title>Kernel machines: the lab</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="lab.css">
<script type="application/json" id="menu">MENU</script>
<script type="module" src="lab.js"></script>
</head>
<body>
<noscript>The lab is drawn by JavaScript, which is switched off here.</noscript>
</body>
</html>
"""


def write_site(folder: Path) -> None:
    """Write the files into a folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    # Within a script, what looks like its end would be.
    listed = json.dumps({**menu(), "machines": list(_machines())}, separators=(",", ":")).replace("<", "\\u003c")
    files = {
        "index.html": _HTML.replace("MENU", listed),
        "lab.js": join_modules(_PAGE, "site.js"),
        "solver.js": join_modules(_PAGE, "solver/worker.js"),
        "lab.css": join_styles(_PAGE),
    }
    for name, content in files.items():
        with replacing(folder / name) as draft:
            draft.write(content.encode())


def _machines() -> Iterator[Mapping[str, Any]]:
    """Yield the machines of the menu with the problem that each states, which a server sends with every answer."""
    for entry in menu()["machines"]:
        choice = MACHINES[entry["name"]]
        setting = read_setting({"machine": {"name": choice.name}, "points": _FEW[choice.task]}, VIEWS)
        yield {**entry, "problem": problem_shown(setting.state())}
