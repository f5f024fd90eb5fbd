# SPDX-License-Identifier: BSD-3-Clause
"""Machines written to files: .npz archives with a header in JSON, which nothing is executed of.

An archive holds the kernel and the centers of :class:`~qpkernels.functions.Centers`, the coefficients and
intercepts of the functions, and a ``header`` that names the format, its version, and the kind of the decision.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from formulations.prediction.decisions import Decision, Inliers, Labels, Votes
from formulations.prediction.preparation import Preparation, to_spec
from qpkernels.arrays import npz_path
from qpkernels.arrays.paths import replacing
from qpkernels.functions import Centers

if TYPE_CHECKING:
    from formulations.prediction.predictor import Predictor

__all__ = ["FORMAT", "PREPARED", "PREPARED_ARRAY", "VERSION", "write"]

FORMAT, VERSION, PREPARED = "qpkernels machine", 1, 2
"""What the header of a file says: its version is 2 if samples are prepared by steps."""

PREPARED_ARRAY = "prepared_"
"""How the names of the arrays of these steps begin."""


def write(predictor: Predictor, path: str | Path) -> Path:
    """Write a machine, and return the file; see :meth:`formulations.prediction.answering.Answering.save`."""
    functions, target = predictor.functions, npz_path(path)
    header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "decision": type(predictor.decision).__name__}
    contents = Centers(functions.kernel, functions.centers, functions.feature_names).to_arrays()
    coefficients = functions.coefficients
    if isinstance(coefficients, csr_array):
        contents |= {"places": coefficients.indices, "starts": coefficients.indptr, "coefficients": coefficients.data}
    else:
        contents["coefficients"] = coefficients
    contents["intercepts"] = functions.intercepts
    contents |= _of_decision(predictor.decision, header)
    if predictor.target is not None:
        header["target"] = predictor.target
    if predictor.posterior is not None:
        header |= {"constant": predictor.posterior.constant, "noise": predictor.posterior.noise}
        contents["root"] = predictor.posterior.root
    scaling = predictor.preprocessing
    if isinstance(scaling, Preparation):
        own: list[Any] = []
        # Who knows only the first version would predict as if there were none.
        header |= {"version": PREPARED, "preparation": to_spec(scaling, own)}
        contents |= {f"{PREPARED_ARRAY}{k}": array for k, array in enumerate(own)}
    elif scaling is not None:
        header |= {"lower": scaling.lower, "upper": scaling.upper}
        contents |= {"low": scaling.low, "high": scaling.high}
    with replacing(target) as file:
        np.savez_compressed(file, header=np.array(json.dumps(header)), **contents)
    return target


def _of_decision(decision: Decision, header: dict[str, Any]) -> dict[str, Any]:
    contents: dict[str, Any] = {}
    if isinstance(decision, Inliers):
        header["level"] = decision.level
    if isinstance(decision, Labels | Votes):
        # Objects would need pickle; labels of text arrive as such from tables.
        contents["classes"] = np.array(decision.classes.tolist())
        if decision.sigmoids is not None:
            contents |= {"A": decision.sigmoids.A, "B": decision.sigmoids.B}
    if isinstance(decision, Labels):
        header["by_probability"] = decision.by_probability
    if isinstance(decision, Votes):
        contents["pairs"] = np.array(decision.pairs)
    return contents
