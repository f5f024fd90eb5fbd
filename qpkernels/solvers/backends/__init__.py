# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of others: one file for each adapter, found by being there."""

__all__: list[str] = []
