# SPDX-License-Identifier: BSD-3-Clause
"""What of a fitted estimator leaves the process: what predicts, and what is proved of it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from qpkernels.errors import LeftBehindError

__all__ = ["LeavesDataBehind"]


class LeavesDataBehind(BaseEstimator):
    """An estimator whose pickles hold no training samples but those that predictions need, and no kernel matrix.

    Model and answer know all samples, their targets and their kernel values, which who gets a pickle is not to see, nor
    to store. Copies within the process (copy, deepcopy) have everything.
    """

    _left_behind: ClassVar[tuple[str, ...]] = ("model_", "solution_")
    """Attributes of a fit that no pickle has."""

    _proof: ClassVar[str]
    """What a fit leaves last."""

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is an answer, also of an estimator out of a pickle."""
        return self._proof in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._left_behind}

    def __copy__(self) -> Self:
        """Return an estimator with the same attributes."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return an estimator with copies of all attributes."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say why there is no such attribute: Python asks here where there is none, or a property has said so."""
            own = type(self)
            if name in (*own._left_behind, own._proof):
                check_is_fitted(self)
                raise LeftBehindError(
                    f"this {own.__name__} came out of a pickle, which holds what predicts, but no {name}: the training "
                    f"samples, or numbers of each of them, would be in it. Fit it again, or keep the answer from the "
                    f"estimator that was fitted: pickle.dumps(estimator.solution_) has all of it, and "
                    f"estimator.solution_.save(path) writes what predicts.",
                    name=name,
                    obj=self,
                )
            return super().__getattribute__(name)
