# SPDX-License-Identifier: BSD-3-Clause
"""Where rows of the kernel matrix come from, and how long they are kept."""

__all__: list[str] = []
