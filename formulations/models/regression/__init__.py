# SPDX-License-Identifier: BSD-3-Clause
"""Models with real targets: tubes, quantiles, robust and general losses, ridges, and fits without regularisation."""

__all__: list[str] = []
