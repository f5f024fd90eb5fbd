# SPDX-License-Identifier: BSD-3-Clause
"""Regression within a tube: residuals up to epsilon cost nothing."""

__all__: list[str] = []
