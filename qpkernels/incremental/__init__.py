# SPDX-License-Identifier: BSD-3-Clause
"""KernelQP problems whose samples change: solved from the answer before, with the equations of free samples kept."""

from qpkernels.incremental.active_set import ActiveSet

__all__ = ["ActiveSet"]
