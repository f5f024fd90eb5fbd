# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what makes an answer optimal: losses, kernel matrices, optimality conditions and certificates."""

from formulations.displays.optimality.certificate import CertificateDisplay
from formulations.displays.optimality.gram import GramDisplay
from formulations.displays.optimality.kkt import KKTDisplay
from formulations.displays.optimality.losses import LossDisplay

__all__ = ["CertificateDisplay", "GramDisplay", "KKTDisplay", "LossDisplay"]
