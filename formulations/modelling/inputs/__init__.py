# SPDX-License-Identifier: BSD-3-Clause
"""What models are stated on: samples bound to a kernel, labels, targets, hyper-parameters, answers of estimators."""

__all__: list[str] = []
