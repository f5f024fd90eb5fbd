# SPDX-License-Identifier: BSD-3-Clause
"""Linear machines with the penalised intercept of LIBLINEAR."""

from formulations.estimators.linear.classifier import LinearSVC
from formulations.estimators.linear.regressor import LinearSVR

__all__ = ["LinearSVC", "LinearSVR"]
