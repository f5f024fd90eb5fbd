# SPDX-License-Identifier: BSD-3-Clause
"""Regressors: what they share, and a file for each kind."""

__all__: list[str] = []
