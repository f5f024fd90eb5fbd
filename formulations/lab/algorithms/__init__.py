# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms on the points of a page, recorded once and then shown step by step; one a file."""

__all__: list[str] = []
