# SPDX-License-Identifier: BSD-3-Clause
"""What a page of a model shows beside its hand-written mathematics, taken from the source and from measurements.

``{model-forms} SoftMargin`` includes the code of every form, ``{model-solvers} SoftMargin`` the model's lines of the
catalogue, ``{model-conventions} SoftMargin`` those of the table of conventions, and ``{model-letters} SoftMargin`` its
letters in four traditions, or those of several models, for the quantities that it lists. A name that is no model, and a
list without letters, is an error at its line. ``{all-conventions}`` and ``{all-letters}`` are the whole tables.
"""

import inspect
import re
from itertools import groupby
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import formulations
from extensions.conventions import TABLE, Convention
from extensions.kernel_names import kernel_names
from extensions.letters import LETTERS, letters_of, letters_table, listed
from extensions.named_pages import pages
from formulations.modelling import Stated

DOCS = Path(__file__).parent.parent
CATALOGUE = DOCS / "catalogue.md"

_NO_LINE = (
    "The [table of conventions](conventions.md) has no line on this problem: no library that we checked states it."
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directives."""
    app.add_directive("model-forms", Forms)
    app.add_directive("model-solvers", Solvers)
    app.add_directive("model-conventions", Conventions)
    app.add_directive("all-conventions", AllConventions)
    app.add_directive("model-letters", Letters)
    app.add_directive("all-letters", AllLetters)
    app.add_directive("kernel-names", KernelNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lines_of(model: str) -> list[list[str]]:
    """Return the cells of a model's lines in the catalogue: its own, and one for each form."""
    text = CATALOGUE.read_text(encoding="utf-8").replace("&#8203;", "")  # where a narrow column breaks a name
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [row for row in rows if len(row) > 1 and re.fullmatch(rf"`?{model}(\.\w+)?`?", row[0])]


class MarkdownDirective(SphinxDirective):
    """A directive that writes Markdown where it stands."""

    def run(self) -> list[nodes.Node]:
        """Write Markdown, and parse it."""
        text = self.text()
        node = nodes.container()
        self.state.nested_parse(
            StringList(text.splitlines(), source=self.get_source_info()[0]), self.content_offset, node
        )
        return node.children

    def text(self) -> str:
        """Return what is written."""
        raise NotImplementedError


class ModelDirective(MarkdownDirective):
    """A directive whose argument is the name of a model."""

    required_arguments = 1

    def text(self) -> str:
        """Return what the page shows of the model."""
        return self.markdown(self.model(self.arguments[0]))

    def model(self, name: str) -> type:
        """Return the model of that name."""
        model = getattr(formulations, name, None)
        if not isinstance(model, type):
            raise self.error(f"a model of the package formulations is expected, but {name} came.")
        return model

    def markdown(self, model: type) -> str:
        """Return what the page shows."""
        raise NotImplementedError


class Forms(ModelDirective):
    """The code of each form, as it is in the source."""

    def markdown(self, model: type) -> str:
        """Return the classes one after the other."""
        parts = []
        for name, form in Stated.of(model):
            source = inspect.getsource(form).rstrip()
            parts.append(f"**`.{name}`**, `{form.__name__}`\n\n```python\n{source}\n```\n")
        return "\n".join(parts)


class Solvers(ModelDirective):
    """Who solves the model and its forms, and how well that is proved."""

    def markdown(self, model: type) -> str:
        """Return the model's lines of the catalogue as a table."""
        rows = lines_of(model.__name__)
        if not rows:
            raise self.error(f"docs/catalogue.md has no line of {model.__name__}; make catalogue writes it.")
        head = "| asked for | solved by | weakest proof |\n|---|---|---|\n"
        return head + "\n".join(f"| {row[0]} | {row[3]} | {row[4]} |" for row in rows)


class KernelNames(MarkdownDirective):
    """The kernels by name, with their parameters."""

    def text(self) -> str:
        """Return the table."""
        return kernel_names()


class Conventions(ModelDirective):
    """What the model is called elsewhere, and how scales and signs translate."""

    def markdown(self, model: type) -> str:
        """Return the lines of the table of conventions that are about the model."""
        rows = [row for row in TABLE if row.model == model.__name__]
        return table_of(rows) if rows else _NO_LINE


class AllConventions(MarkdownDirective):
    """The whole table of conventions, model by model."""

    def text(self) -> str:
        """Return a table for each model, under a link to its page."""
        groups = groupby(TABLE, key=lambda row: row.model)
        return "\n\n".join(f"{self._link(model)}\n\n{table_of(list(rows))}" for model, rows in groups)

    def _link(self, model: str) -> str:
        """Return a link to the page that shows the conventions of the model."""
        page = pages("conventions").get(model)
        if page is None:
            raise self.error(f"no page of docs/models shows the conventions of {model}.")
        title = page.read_text(encoding="utf-8").partition("# ")[2].partition("\n")[0]
        return f"**[{title}]({page.name})**, `{model}`"


class Letters(ModelDirective):
    """What has a letter in the models of a page, here and in four traditions: the quantities that it lists."""

    final_argument_whitespace = True
    has_content = True

    def text(self) -> str:
        """Return the rows of all its models."""
        for name in self.arguments[0].split():
            self.model(name)
        quantities = listed("\n".join(self.content))
        unknown = [each for each in quantities if each not in LETTERS]
        if unknown or not quantities:
            named = f"{unknown[0]!r}" if unknown else "none"
            raise self.error(f"a list of quantities of docs/extensions/letters.py is expected, but {named} came.")
        return letters_table(letters_of(quantities))


class AllLetters(MarkdownDirective):
    """The whole table of letters."""

    def text(self) -> str:
        """Return one table."""
        return letters_table(list(LETTERS.values()))


def table_of(rows: list[Convention]) -> str:
    """Return conventions as a table in Markdown."""
    head = "| elsewhere | their problem in our terms | from theirs to ours |\n|---|---|---|\n"
    return head + "\n".join(f"| {row.elsewhere} | {row.problem} | {row.translation} |" for row in rows)
