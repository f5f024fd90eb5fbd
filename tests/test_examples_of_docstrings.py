# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the reference: whoever calls a function or makes an object sees one, and each does what it says."""

from __future__ import annotations

import doctest
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from together import together

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from extensions.parameters import sections
from extensions.reference import listed, public

CALLED = {name: value for name, value in public().items() if inspect.isclass(value) or inspect.isfunction(value)}

MADE_BY_USERS = (
    "two-classes",
    "real-targets",
    "fits",
    "relevance",
    "estimators",
    "losses",
    "kernels",
    "gram",
    "incremental",
    "displays",
    "lab",
)
"""Pages of classes whose objects a user makes; the functions of all pages are called."""

MADE_BY_THE_LIBRARY = {
    "formulations.estimators.UncertifiedWarning",
    "qpkernels.families.incremental.ActiveSet",
    "qpkernels.kernels.ProductForm",
    "qpkernels.kernels.Samples",
}
"""Classes of these pages that are parts, a warning, and a type."""

CALLED_BY_THE_LIBRARY = {"qpkernels.problems.certify_with_exact_kernel"}
"""What a solve calls on its way, with what it holds then."""


def wanted() -> Iterator[str]:
    """Yield the names that need an example."""
    classes = {name for page in MADE_BY_USERS for name in listed(page)} - MADE_BY_THE_LIBRARY
    # What forms are written with is shown where a form is written.
    functions = set(CALLED) - set(listed("forms")) - CALLED_BY_THE_LIBRARY
    for name, value in CALLED.items():
        if name in (functions if inspect.isfunction(value) else classes) and not inspect.isabstract(value):
            yield name


def own_docstring(value: Any) -> str:
    """Return the docstring of an object itself, and not that of a base class."""
    return str(vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__)


@pytest.fixture(autouse=True)
def _without_windows() -> Iterator[None]:
    """Draw into no window, and keep no figure."""
    plt.switch_backend("Agg")
    yield
    plt.close("all")


SHOWN = sorted(name for name, value in CALLED.items() if ">>>" in own_docstring(value))


def test_lists_of_what_needs_no_example_name_what_has_none() -> None:
    assert sorted((MADE_BY_THE_LIBRARY | CALLED_BY_THE_LIBRARY) - set(CALLED)) == []
    assert sorted((MADE_BY_THE_LIBRARY | CALLED_BY_THE_LIBRARY) & set(SHOWN)) == []


def test_there_is_an_example_of_whatever_a_user_makes_or_calls() -> None:
    assert [name for name in wanted() if name not in SHOWN] == []


@together("name", SHOWN, by=lambda name: name.rpartition(".")[0])
def test_the_example_stands_last_and_is_right(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doc = own_docstring(CALLED[name])
    assert [title for title, lines in sections(doc) if ">>>" in "\n".join(lines)] == ["Examples"]
    assert sections(doc)[-1][0] == "Examples"
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(doc, {"__name__": "example"}, name, None, None)
    assert any(part.want for part in example.examples)
    results = doctest.DocTestRunner().run(example)
    assert results.failed == 0, capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
