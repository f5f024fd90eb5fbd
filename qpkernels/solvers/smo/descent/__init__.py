# SPDX-License-Identifier: BSD-3-Clause
"""How a block of coefficients is chosen, and the objective minimised over it."""

__all__: list[str] = []
