# SPDX-License-Identifier: BSD-3-Clause
"""Linear fits without regularisation: least squares, least absolute deviations, the least largest residual."""

__all__: list[str] = []
