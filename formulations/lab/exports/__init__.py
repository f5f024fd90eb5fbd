# SPDX-License-Identifier: BSD-3-Clause
"""What can be taken from a page: its setting as lines of Python, its points as CSV, and its program as matrices."""

from collections.abc import Callable, Mapping

from formulations.lab.exports.export import Export
from formulations.lab.exports.program import program
from formulations.lab.exports.script import script
from formulations.lab.exports.table import table
from formulations.lab.settings import Setting

__all__ = ["EXPORTS", "Export"]

EXPORTS: Mapping[str, Callable[[Setting], Export]] = {"python": script, "csv": table, "npz": program}
"""How each is made, by the name by which a page asks for it."""
