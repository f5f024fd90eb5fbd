# SPDX-License-Identifier: BSD-3-Clause
"""How models and forms are shown: the textbook problem, the data, the kernel and the hyper-parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector, is_scalar, shown, shown_label
from qpkernels.display import Card, Carded, Fact, TextbookProblem, to_text
from qpkernels.gram import Gram
from qpkernels.problems import ConeProgram
from qpkernels.solvers import installed_solvers

__all__ = [
    "Explained",
    "card_of_form",
    "card_of_model",
    "classes_of",
    "facts_of_model",
    "kernel_of",
    "line_of_form",
    "line_of_model",
    "objective_of",
    "statement_of_form",
    "statement_of_model",
]

_SHORT = ("data", "kernel", "with")

_FORMULA = ": k(x, z) = "
"""Between a kernel and its formula."""

_LONGEST = 60
"""Letters of a kernel, or of a value, in a line."""


class Explained(Carded):
    """A model with a textbook's problem, samples and a kernel; ``repr`` is one line of them."""

    textbook: ClassVar[TextbookProblem | None] = None
    """The problem as the docstring of the module states it, or None if the class does not state it."""

    @property
    def name(self) -> str:
        """Name of the kind."""
        return type(self).__name__

    @property
    def statement(self) -> TextbookProblem | None:
        """The problem in maths; None where its class does not say."""
        return self.textbook

    def facts(self) -> Iterator[Fact]:
        """Yield what is said below the problem: data, kernel, hyper-parameters."""
        raise NotImplementedError(f"a {self.name} must say what it is made of")

    def card(self) -> Card:
        """Return the problem and the facts."""
        stated = self.statement
        return Card(self.name, () if stated is None else stated.lines, tuple(self.facts()))

    def __repr__(self) -> str:
        return _line(self.name, self.facts())


def statement_of_model(model: Any) -> TextbookProblem | None:
    """Return the problem of a model's usual form in maths, or None if its class does not state it."""
    usual = next(iter(model.forms.values()), None)
    return None if usual is None else statement_of_form(usual)


def card_of_model(model: Any) -> Card:
    """Return the problem of a model's usual form, and the facts of the model."""
    stated = statement_of_model(model)
    return Card(model.name, () if stated is None else stated.lines, tuple(facts_of_model(model)))


def line_of_model(model: Any) -> str:
    """Return a model in one line."""
    return _line(model.name, facts_of_model(model))


def facts_of_model(model: Any) -> Iterator[Fact]:
    """Yield data, kernel, hyper-parameters, intercept, forms and solvers of a model."""
    signs = vars(model).get("y") if model.classes is not None else None
    yield Fact("data", model.gram.extent + classes_of(model.classes, signs))
    yield Fact("kernel", kernel_of(model.gram, model.data.explicit))
    settings = list(_settings_of(model))
    if settings:
        yield Fact("with", ", ".join(settings))
    yield Fact("intercept", "b" if model.fit_intercept else "none: b = 0")
    yield Fact("forms", ", ".join(model.forms))
    yield Fact("solvers", "; ".join(_solvers_of(model)))


def _settings_of(model: Any) -> Iterator[str]:
    for parameter in model.entry.parameters:
        named = f"{parameter.name} ({to_text(parameter.symbol)})" if parameter.symbol else parameter.name
        yield f"{named} = {value_text(model.value_of(parameter.name))}"
    loss = model.settings.get("loss")
    if loss is not None:
        yield f"loss {to_text('psi')} = {_shortened(shown(loss))}"


def _solvers_of(model: Any) -> Iterator[str]:
    # Where f is no expansion in beta, the bounds need a factor of the kernel matrix, which nobody asked for.
    programs = model.programs(model.bounds()) if model.entry.expands else ()
    own = [each for each in installed_solvers() if ConeProgram not in each.programs]
    taking = [each.name for each in own if any(isinstance(program, each.programs) for program in programs)]
    if taking:
        yield f"{', '.join(taking)} for the model as it is"
    yield f"{model.entry.cone_solver} and others for its forms"


def statement_of_form(form: Any) -> TextbookProblem | None:
    """Return the problem of a form in maths, with b if the model has one, or None if its class does not state it."""
    kind: Any = type(form.model)
    return None if form.textbook is None else _stated(form.textbook, kind, form.model.fit_intercept)


@cache
def _stated(textbook: TextbookProblem, kind: Any, fit_intercept: bool) -> TextbookProblem:
    """Return a problem of the textbook as models have it: without b where they have none, and C in their letters."""
    problem = textbook if fit_intercept else textbook.without_intercept()
    letters = [each.symbol for each in kind.entry.parameters if each.symbol == "lambda"]
    needs_cost = letters and "lambda" not in problem.text and "C" in problem.text
    return problem.defining("C = 1/(2 lambda)") if needs_cost else problem


@cache
def objective_of(textbook: TextbookProblem | None, kind: Any, fit_intercept: bool) -> str:
    """Return the objective of a textbook problem, as models of a kind have it; empty if there is none.

    Each solution names it, and there are few kinds.
    """
    return _stated(textbook, kind, fit_intercept).objective if textbook is not None and textbook.has_objective else ""


def card_of_form(form: Any) -> Card:
    """Return the problem of a form, what the user added, and the facts of the model that matter to it."""
    stated = statement_of_form(form)
    return Card(form.name, () if stated is None else stated.lines, tuple(_facts_of_form(form)))


def line_of_form(form: Any) -> str:
    """Return a form in one line."""
    return _line(form.name, _facts_of_form(form))


def _facts_of_form(form: Any) -> Iterator[Fact]:
    for constraint in form.extension.constraints:
        yield Fact("extended by", _shortened(str(constraint)))
    if form.extension.objective is not None:
        yield Fact("extended by", _shortened(f"the objective {form.extension.objective}"))
    yield Fact("model", form.model.name)
    yield from (fact for fact in facts_of_model(form.model) if fact.name in (*_SHORT, "intercept"))


def classes_of(classes: NDArray[Any] | None, signs: Vector | None) -> str:
    """Return how many samples each class has, as the end of a sentence."""
    if classes is None or signs is None:
        return ""
    sizes = (int((signs < 0).sum()), int((signs > 0).sum()))
    each = " and ".join(f"{size} of {shown_label(label)}" for size, label in zip(sizes, classes.tolist(), strict=True))
    return f", {each}"


def kernel_of(gram: Gram, explicit: bool = False) -> str:
    """Return a kernel as Python writes it and its formula, or that f has weights in explicit features."""
    if explicit:
        return f"none: {to_text('f(x) = <w, x>')}"
    return f"{gram.space}{_FORMULA}{to_text(gram.formula)}"


def value_text(value: Any) -> str:
    """Return a hyper-parameter: a number, or the range of several."""
    numbers = np.asarray(value)
    if is_scalar(value) or numbers.ndim == 0 or numbers.min() == numbers.max():
        return f"{numbers.flat[0]:g}"
    return f"{numbers.min():g} to {numbers.max():g}, one for each sample"


def _line(name: str, facts: Iterable[Fact]) -> str:
    return f"<{name}: {', '.join(_in_a_line(fact) for fact in facts if fact.name in _SHORT)}>"


def _in_a_line(fact: Fact) -> str:
    if fact.name != "kernel":
        return fact.value.replace(", one for each sample", "")
    return "no kernel" if fact.value.startswith("none: ") else _shortened(fact.value.rpartition(_FORMULA)[0])


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
