# SPDX-License-Identifier: BSD-3-Clause
"""One problem of the set: its name, and how it is stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from formulations.modelling import Dual, Form, Model
from qpkernels.kernels import Kernel
from qpkernels.problems import ConeProgram

__all__ = ["Entry", "FormOf"]


@dataclass(frozen=True, eq=False)
class Entry:
    """A problem of the set.

    Attributes
    ----------
    name
        Of its file: letters, digits and underscores.
    family
        What it is there for.
    most_variables
        Its number of variables, or a bound of it, known before it is stated.
    description
        In one line.
    state
        Returns it as a quadratic program.
    """

    name: str
    family: str
    most_variables: int
    description: str
    state: Callable[[], ConeProgram]

    def program(self) -> ConeProgram:
        """Return the program, which has the name of the entry."""
        return replace(self.state(), name=self.name)


@dataclass(frozen=True, eq=False)
class FormOf:
    """A form of a model: duals in the variables of the textbook, others as solvers get them.

    Attributes
    ----------
    model, data, kernel, parameters
        What the model is stated with; ``data`` returns the samples, and their labels or targets.
    form
        Its name in the model.
    """

    model: Callable[..., Model[Any]]
    data: Callable[[], tuple[Any, ...]]
    form: str
    kernel: Kernel | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> ConeProgram:
        """State the form in matrices."""
        form: Form = self.model(*self.data(), self.kernel, **self.parameters).forms[self.form]
        return form.lower().matrices("textbook" if isinstance(form, Dual) else "lowered")
