# SPDX-License-Identifier: BSD-3-Clause
"""In the reference, a model shows its problem in set maths, form by form, its conditions, and the page about it."""

import inspect
import re
import sys

from sphinx.application import Sphinx

import formulations
from extensions.named_pages import pages
from formulations.modelling import Stated
from qpkernels.display.maths import to_latex

PAGES = pages("forms", "solvers", "conventions")
PROBLEM = re.compile(r"(?:^\S.*\n)*?^\S.*::\n(?:\n|[ ]{4}.*\n)+", re.MULTILINE)
"""A paragraph that announces a block, and the block."""

ALIKE = re.compile(r"\s*(and )?the same")
"""Words that stand for conditions like those before them."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the problems before docstrings are completed."""
    app.connect("autodoc-process-docstring", add_problem, priority=40)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def problem_of(model: type) -> str:
    """Return the problem with the words that announce it; of several in a module the one in the place of the model."""
    module = sys.modules[model.__module__]
    found = PROBLEM.findall(inspect.cleandoc(module.__doc__ or "") + "\n")
    here = [value for name, value in vars(module).items() if name in PAGES and value.__module__ == module.__name__]
    place = here.index(model) if len(found) == len(here) else 0
    return found[place].rstrip() if found else ""


def forms_of(model: type) -> list[str]:
    """Return a list of the forms: the attribute, its class, the first paragraph of its docstring, and its problem."""
    lines = []
    for name, form in Stated.of(model):
        words = inspect.cleandoc(form.__doc__ or "").split("\n\n")[0].split()
        lines += [f"- ``.{name}``, ``{form.__name__}``: {' '.join(words)}", "", *formula(form.textbook.latex(), "  ")]
    return lines


def shown(model: type) -> list[str]:
    """Return the problem: by the formulas of its forms and its conditions, or without forms as the module has it."""
    problem, forms = problem_of(model), forms_of(model)
    if not forms:
        return [*problem.splitlines(), ""]
    announced, _, block = problem.partition("::\n")
    conditions = " ".join(block.strip("\n").partition("\n\n")[2].split("\n"))
    each = [to_latex(part.strip()) for part in re.split(r",\s{2,}", conditions) if not ALIKE.match(part)]
    rows = " \\\\ ".join(f"& {part}" for part in each)
    known = formula(f"\\begin{{aligned}} {rows} \\end{{aligned}}") if conditions else []
    return [f"{announced or 'The problem'}:", "", *forms, *known]


def formula(latex: str, indent: str = "") -> list[str]:
    """Return a displayed formula."""
    spaced = latex.replace(",  ", ", \\quad ")
    return [f"{indent}.. math::", "", f"{indent}   {spaced}", ""]


def add_problem(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Put the problem and the forms behind the first paragraph."""
    del app, options
    short = name.rpartition(".")[2]
    if what != "class" or not isinstance(obj, type) or getattr(formulations, short, None) is not obj:
        return
    if short not in PAGES:
        return
    link = f"Its derivation, conventions and pictures: :doc:`/models/{PAGES[short].stem}`."
    first = lines.index("") if "" in lines else len(lines)
    lines[first:first] = ["", *shown(obj), link]
