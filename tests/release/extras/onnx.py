# SPDX-License-Identifier: BSD-3-Clause
"""A machine is written as a graph of ONNX, which ONNX itself accepts."""

import onnx

from formulations import export
from formulations.estimators import SVC

X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 2.0], [2.0, 0.0]], [0, 0, 1, 1]
onnx.checker.check_model(str(export(SVC().fit(X, y), "machine.onnx").path))
