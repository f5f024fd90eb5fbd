# SPDX-License-Identifier: BSD-3-Clause
"""The kernel-machine QP set for cvxpy/solver-benchmarks: put this file into src/solver_benchmarks/problems/.

The folder of the set, with index.json, is named by the environment variable KERNEL_MACHINES, or is that of this file.
Each problem is registered as ``qp/NAME`` (``lp/NAME`` where it is linear), tagged with its family and its size. The
problems are read, not drawn: the seed is left aside.
"""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import cvxpy as cp
from scipy.io import loadmat
from scipy.sparse import csc_matrix
from solver_benchmarks.problems import register_problem

FOLDER = Path(os.environ.get("KERNEL_MACHINES", Path(__file__).parent))


def state(path: Path, seed: int = 0) -> cp.Problem:
    """Return min 1/2 x'Px + q'x + r s.t. l <= Ax <= u of a .mat file as a CVXPY problem."""
    del seed
    file = loadmat(path)
    q, lower, upper = (file[key].ravel().astype(float) for key in ("q", "l", "u"))
    A = csc_matrix(file["A"], shape=(upper.size, q.size)).tocsr()
    equal = lower == upper
    x = cp.Variable(q.size)
    objective = q @ x + float(file["r"].item())
    if file["P"].nnz:
        objective += 0.5 * cp.quad_form(x, cp.psd_wrap(csc_matrix(file["P"])))
    sides = ((equal, "equal"), (~equal & (upper < 1e20), "above"), (~equal & (lower > -1e20), "below"))
    constraints = []
    for rows, kind in sides:
        if rows.any():
            left = A[rows] @ x
            if kind == "equal":
                constraints.append(left == upper[rows])
            else:
                constraints.append(left <= upper[rows] if kind == "above" else left >= lower[rows])
    return cp.Problem(cp.Minimize(objective), constraints)


def register(entry: dict[str, Any]) -> None:
    """Register a problem of the index."""
    kind = "qp" if entry["nonzeros_P"] else "lp"
    size = "small" if entry["variables"] <= 100 else "medium" if entry["variables"] <= 1000 else "large"
    decorate = register_problem(
        f"{kind}/{entry['name']}",
        tags=[kind, size, "kernel_machines", entry["family"]],
        description=entry["description"],
    )
    decorate(partial(state, FOLDER / entry["files"][".mat"]))


if (FOLDER / "index.json").is_file():
    for each in json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["problems"]:
        if each["status"] == "optimal":
            register(each)
