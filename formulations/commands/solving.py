# SPDX-License-Identifier: BSD-3-Clause
"""How a command solves what it was asked: by whom, how well, how long, and what is told and kept on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qpkernels.errors import ParameterError

__all__ = ["Solving"]

_SMO = (None, "smo")
"""Whom lines of progress may be asked of: smo, or whoever is chosen by structure."""


@dataclass(frozen=True)
class Solving:
    """The options of a solve; see :meth:`formulations.modelling.model.Model.solve`."""

    solver: str | None
    tol: float
    time_limit: float | None = None
    checkpoint: Path | None = None

    def solve(self, statement: Any, tell: Callable[[str], None]) -> Any:
        """Solve a model or form, with lines of progress where smo is asked, and its checkpoints."""
        options: dict[str, Any] = {} if self.checkpoint is None else {"checkpoint": self.checkpoint}
        if self.solver in _SMO:
            options["report"] = tell
        return statement.solve(self.solver, tol=self.tol, time_limit=self.time_limit, **options)

    def solve_several(self, statement: Any) -> Any:
        """Solve a scheme of machines.

        Raises
        ------
        ParameterError
            If there is to be a checkpoint: a file holds one descent.
        """
        if self.checkpoint is not None:
            raise ParameterError("--checkpoint keeps one machine, but several classes take several; leave it out.")
        options: dict[str, Any] = {} if self.time_limit is None else {"time_limit": self.time_limit}
        return statement.solve(self.solver, tol=self.tol, **options)
