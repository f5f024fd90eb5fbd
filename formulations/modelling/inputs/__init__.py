# SPDX-License-Identifier: BSD-3-Clause
"""The inputs of models: samples bound to a kernel, labels, targets, hyper-parameters, answers of estimators."""

__all__: list[str] = []
