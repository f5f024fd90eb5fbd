# SPDX-License-Identifier: BSD-3-Clause
"""On the site, every parameter is described where it is listed, also by what its docstring refers to or inherits."""

import inspect
import sys

from sphinx.application import Sphinx

from extensions.parameters import asked, complete, described
from extensions.reference import ours, unwrapped


def setup(app: Sphinx) -> dict[str, bool]:
    """Complete docstrings before they are escaped and numpydoc reads them."""
    app.connect("autodoc-process-docstring", complete_lines, priority=50)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def complete_lines(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Complete the lines of a docstring in place."""
    del app, options
    value = unwrapped(obj)
    value = getattr(value, "__func__", value)
    if what not in ("class", "function", "method") or not ours(value) or not callable(value):
        return
    owner = _owner(name) if what == "method" else None
    text = complete("\n".join(lines), asked(value), lambda parameter: described(value, owner, parameter))
    lines[:] = [*text.splitlines(), ""]


def _owner(name: str) -> type | None:
    """Return the class that a method is documented in, from the full name of the method."""
    parts = name.split(".")
    for length in range(len(parts) - 2, 0, -1):
        module = sys.modules.get(".".join(parts[:length]))
        if module is not None:
            found = module
            for part in parts[length:-1]:
                found = getattr(found, part)
            return found if inspect.isclass(found) else None
    return None
