# SPDX-License-Identifier: BSD-3-Clause
"""Which models and forms state one problem: answers to it are held against common bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.modelling import Form, Model
from qpkernels.arrays import is_sparse

__all__ = ["Problem", "problems_of"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A model, and the forms of it that are compared; an extended form is a problem of its own.

    Attributes
    ----------
    label
        Tells it from the others.
    """

    label: str
    model: Model[Any]
    forms: tuple[Form, ...]

    @property
    def is_extended(self) -> bool:
        """Whether it is that of an extended form."""
        return any(form.is_extended for form in self.forms)

    def differences(self, other: Problem) -> Iterator[str]:
        """Yield in what two models of one kind differ."""
        return _differences(self.model, other.model)


def problems_of(stated: Iterable[Model[Any] | Form]) -> list[Problem]:
    """Return the problems that models and forms state, in order; equal models on equal data are one."""
    found: list[tuple[Model[Any], list[Form]]] = []
    for each in stated:
        model, forms = (each, _forms(each)) if isinstance(each, Model) else (each.model, [each])
        if any(form.is_extended for form in forms):
            found.append((model, forms))
            continue
        for known, others in found:
            if not any(form.is_extended for form in others) and _is_same(known, model):
                others.extend(form for form in forms if _statement(form) not in map(_statement, others))
                break
        else:
            found.append((model, forms))
    names = [model.name + (" extended" if any(f.is_extended for f in forms) else "") for model, forms in found]
    return [
        Problem(name if names.count(name) == 1 else f"{name} #{names[:k].count(name) + 1}", model, tuple(forms))
        for k, (name, (model, forms)) in enumerate(zip(names, found, strict=True))
    ]


def _forms(model: Model[Any]) -> list[Form]:
    return [form for form in model.forms.values() if isinstance(form, Form)]


def _statement(form: Form) -> tuple[type[Form], bool]:
    """Return what tells the forms of equal models apart: a primal in w is another than that in u."""
    return type(form), form.model.data.explicit


def _is_same(first: Model[Any], second: Model[Any]) -> bool:
    return first is second or (type(first) is type(second) and next(_differences(first, second), None) is None)


def _differences(first: Model[Any], second: Model[Any]) -> Iterator[str]:
    for parameter in first.hyperparameters:
        values = [model.value_of(parameter.name) for model in (first, second)]
        if not np.array_equal(values[0], values[1]):
            shown = [f"{np.ravel(each)[0]:g}" if np.ptp(each) == 0 else "one for each sample" for each in values]
            yield f"{parameter.name} ({shown[0]} and {shown[1]})"
    if first.gram is not second.gram:
        if first.gram.kernel != second.gram.kernel:
            yield f"the kernel ({first.gram.kernel!r} and {second.gram.kernel!r})"
        if not _equal(first.gram.X, second.gram.X):
            yield "the samples"
        if first.gram.correction != second.gram.correction:
            kinds = [each.kind if each else "none" for each in (first.gram.correction, second.gram.correction)]
            yield f"the correction of the kernel matrix ({kinds[0]} and {kinds[1]})"
    if not _equal(getattr(first, "y", None), getattr(second, "y", None)):
        yield "the targets"
    if first.fit_intercept != second.fit_intercept:
        yield "the intercept"
    if getattr(first, "loss", None) != getattr(second, "loss", None):
        yield "the loss"


def _equal(first: Any, second: Any) -> bool:
    if first is second:
        return True
    if is_sparse(first) or is_sparse(second):
        return is_sparse(first) and is_sparse(second) and first.shape == second.shape and (first != second).nnz == 0
    return np.array_equal(first, second)
