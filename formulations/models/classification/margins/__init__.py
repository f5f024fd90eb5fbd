# SPDX-License-Identifier: BSD-3-Clause
"""Machines of the widest margin: hard, soft, with squared slacks, and of a given share of errors."""

__all__: list[str] = []
