# SPDX-License-Identifier: BSD-3-Clause
"""The hyper-parameters of an estimator, and those that a user gives in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.inputs.estimators import on_host
from qpkernels.arrays import shown
from qpkernels.errors import NonFiniteError, ParameterError

__all__ = ["Settings", "numbers_of"]


class Settings:
    """What a machine was asked for: an attribute of its estimator, unless the user gave another value.

    Parameters
    ----------
    owner
        The estimator; None where there is a file only.
    what
        What it is called in messages.
    given
        Values by name that take the place of its own.
    """

    def __init__(self, owner: Any, what: str, given: Mapping[str, Any]) -> None:
        self.owner, self.what = owner, what
        self._given, self._asked = dict(given), set[str]()

    def __call__(self, name: str) -> Any:
        """Return the value of that name.

        Raises
        ------
        ParameterError
            If there is none.
        """
        self._asked.add(name)
        if name in self._given:
            return self._given[name]
        if not hasattr(self.owner, name):
            raise ParameterError(
                f"{self.what} does not hold {name}; say what it was trained with: audit(..., {name}=)."
            )
        return getattr(self.owner, name)

    def default(self, name: str, value: Any) -> Any:
        """Return the value of that name, or ``value`` where there is none."""
        self._asked.add(name)
        return self._given[name] if name in self._given else getattr(self.owner, name, value)

    def gives(self, name: str) -> bool:
        """Return whether the user gave the value of that name."""
        return name in self._given

    def expect(self, name: str, value: Any, others: str) -> None:
        """Refuse an estimator whose parameter of that name, if it has one, is another than ``value``.

        Raises
        ------
        ParameterError
            With what ``others`` are.
        """
        found = self.default(name, value)
        if found is not value and found != value:
            raise ParameterError(
                f"{self.what} has {name}={shown(found)}, and {others}; only {name}={value!r} is audited."
            )

    def finish(self) -> None:
        """Refuse values that nothing asked for.

        Raises
        ------
        ParameterError
            If there are such.
        """
        unknown = sorted(self._given.keys() - self._asked)
        if unknown:
            has = ", ".join(sorted(self._asked)) or "none"
            raise ParameterError(
                f"{self.what} has no hyper-parameter {unknown[0]!r}; those that can be given are {has}."
            )


def numbers_of(estimator: Any, name: str) -> NDArray[np.float64]:
    """Return a fitted attribute as numbers in float64.

    Raises
    ------
    ParameterError
        If it holds something else.
    NonFiniteError
        If some are NaN or infinite.
    """
    try:
        numbers = on_host(getattr(estimator, name)).astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{name} of the estimator must hold real numbers, but {shown(getattr(estimator, name))} came; fit it again."
        ) from None
    if not np.isfinite(numbers).all():
        raise NonFiniteError(f"{name} of the estimator must hold finite numbers only, but some are not; fit it again.")
    return numbers
