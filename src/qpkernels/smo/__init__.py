# SPDX-License-Identifier: BSD-3-Clause
"""The project's own solver of KernelQP problems: sequential minimal optimisation in float64."""

from qpkernels.smo.engine import Iterate, minimise

__all__ = ["Iterate", "minimise"]
