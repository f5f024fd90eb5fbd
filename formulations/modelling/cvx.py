# SPDX-License-Identifier: BSD-3-Clause
"""CVXPY, imported when one of its names is first used: ``import formulations.modelling.cvx as cp``.

Stating a form uses CVXPY. A model that a solver takes as a KernelQP is stated, solved and proved without it, in less
time than the import takes.
"""

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Return what CVXPY calls ``name``, and keep it: Python asks here once for each."""
    import cvxpy

    found = globals()[name] = getattr(cvxpy, name)
    return found
