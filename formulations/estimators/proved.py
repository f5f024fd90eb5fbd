# SPDX-License-Identifier: BSD-3-Clause
"""What every estimator of a convex model shares: who is asked, what is proved, and what of it leaves the process."""

from __future__ import annotations

import re
import warnings
from copy import deepcopy
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from qpkernels.arrays import ChecksKeywords, check_flag
from qpkernels.errors import LeftBehindError, SolverFailedError
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike

__all__ = [
    "LeavesDataBehind",
    "ProvedEstimator",
    "UncertifiedWarning",
]


_ENTRY = re.compile(r"^(\w+(?:, \w+)*)\n((?:[ ]{4}.*\n|\n)+)", re.MULTILINE)
_TITLE = re.compile(r"^Parameters\n-{3,}\n", re.MULTILINE)


def _entries(doc: str) -> list[tuple[str, str]]:
    """Return the names, and the whole text, of each entry of the Parameters of a docstring."""
    _, *found = _TITLE.split(f"{cleandoc(doc)}\n")
    listed = re.split(r"(?m)^\w[\w ]*\n-{3,}$", found[0])[0] if found else ""
    return [(names, f"{names}\n{text.rstrip()}\n") for names, text in _ENTRY.findall(listed)]


class LeavesDataBehind(BaseEstimator):
    """An estimator whose pickles hold no training samples but those that predictions need, and no kernel matrix.

    Model and answer know all samples, their targets and their kernel values, which who gets a pickle is not to see, nor
    to store. Copies within the process (copy, deepcopy) have everything.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Let the docstring list the parameters of the bases as well: each is described once, where it is declared."""
        super().__init_subclass__(**options)
        own = cleandoc(cls.__doc__ or "")
        said = {name for names, _ in _entries(own) for name in names.split(", ")}
        inherited = [each for base in cls.__bases__ for each in _entries(base.__doc__ or "")]
        lacking = "".join(text for names, text in inherited if said.isdisjoint(names.split(", ")))
        if lacking and not _TITLE.search(own):
            own = f"{own}\n\nParameters\n----------\n"
        head, *sections = re.split(r"(?m)^(?=\w[\w ]*\n-{3,}$)", own)
        listed = [f"{each.rstrip()}\n{lacking}\n" if _TITLE.match(each) else each for each in sections]
        cls.__doc__ = "".join([head, *listed]).rstrip() + "\n"

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


class UncertifiedWarning(ConvergenceWarning):
    """An answer is not proved to the tolerance asked for."""


@dataclass(kw_only=True, eq=False, repr=False)
class ProvedEstimator(LeavesDataBehind, metaclass=ChecksKeywords):
    """An estimator whose answer has a certificate.

    Parameters
    ----------
    tol
        The relative duality gap, and residuals, that the answer is proved to.
    solver
        Name of a registered solver, or a Solver object; None: one after the other until the answer is proved.
    time_limit
        Limit in seconds; None: none.
    strict
        Raise SolverFailedError where an answer is not proved, in place of an UncertifiedWarning.
    verbose
        Let the solver print its progress.
    """

    tol: float = 1e-3
    solver: SolverLike | None = None
    time_limit: float | None = None
    strict: bool = False
    verbose: bool | int = False

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        solution_: Any = field(init=False)
        certificate_: Certificate = field(init=False)

    _proof: ClassVar[str] = "certificate_"

    def _request(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        check_flag(self.strict, "strict")
        return {"solver": self.solver, "tol": self.tol, "time_limit": self.time_limit}

    def _judge(self, status: Status, message: str) -> None:
        """Keep what is proved, of several machines the weakest proof; warn of an answer without one, or refuse it."""
        answers = self.solution_ if isinstance(self.solution_, list) else [self.solution_]
        self.certificate_ = max((each.certificate for each in answers), key=lambda proof: proof.relative_gap)
        self.fit_status_ = int(status is not Status.OPTIMAL)
        if status is Status.OPTIMAL:
            return
        # The gap that a solver says is that of its certificate, or nobody's.
        said = "; ".join(part for part in message.split("; ") if not part.startswith("relative gap"))
        proof = f"{said}. {self.certificate_.explain()}" if said else self.certificate_.explain()
        words = f"the answer is {status}, not proved to tol={self.tol:g}: {proof}"
        if self.strict:
            raise SolverFailedError(f"{words} Pass strict=False to keep it, with a warning.")
        warnings.warn(words, UncertifiedWarning, stacklevel=3)
