# SPDX-License-Identifier: BSD-3-Clause
"""Exercises on the pages of Learn, as the library states them.

``{exercise} hulls`` writes the statement, the line that checks an answer, and a link to a notebook with both. A name
that is no exercise is an error at its line.
"""

from pathlib import Path

import nbformat.v4 as notebooks
from nbformat import NotebookNode
from sphinx.application import Sphinx

from extensions.model_pages import MarkdownDirective
from formulations.exercises import Exercise, exercises
from qpkernels.errors import ParameterError

FOLDER = Path("_build") / "exercises"
"""Where notebooks are written, in the folder of the pages: nothing there is a page."""

IMPORT = "from formulations.exercises import exercises"


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directive, and write the notebooks before pages are read."""
    app.add_directive("exercise", ExerciseDirective)
    app.connect("builder-inited", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_notebooks(app: Sphinx) -> None:
    """Write a notebook for each exercise."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for exercise in exercises.values():
        (folder / f"{exercise.name}.ipynb").write_text(notebooks.writes(notebook(exercise)), encoding="utf-8")


def notebook(exercise: Exercise) -> NotebookNode:
    """Return the statement, and a cell that checks an answer once its dots are filled in."""
    letters = "\n".join(f"- `{letter}`: {meaning}" for letter, meaning in exercise.asks.items())
    return notebooks.new_notebook(
        cells=[
            notebooks.new_markdown_cell(f"**{exercise.name}** ({exercise.level}). {exercise.statement}\n\n{letters}"),
            notebooks.new_code_cell(f"{IMPORT}\n\n{exercise.code}"),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )


class ExerciseDirective(MarkdownDirective):
    """An exercise."""

    required_arguments = 1

    def text(self) -> str:
        """Return the statement, how it is checked, and the link."""
        try:
            exercise = exercises[self.arguments[0]]
        except ParameterError as error:
            raise self.error(str(error)) from None
        letters = "; ".join(f"`{letter}`, {meaning}" for letter, meaning in exercise.asks.items())
        give = "Give one or more of these:" if len(exercise.asks) > 1 else "Give"
        return (
            f"**{exercise.level.capitalize()}.** {exercise.statement}\n\n"
            f"```python\n{exercise.code}\n```\n\n"
            f"{give} {letters}. "
            f"{{download}}`As a notebook </{FOLDER.as_posix()}/{exercise.name}.ipynb>`.\n"
        )
