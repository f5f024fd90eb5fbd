# SPDX-License-Identifier: BSD-3-Clause
"""Squared residuals and the squared norm: problems that are linear systems, down to the ridge 0 of interpolation."""

__all__: list[str] = []
