# SPDX-License-Identifier: BSD-3-Clause
"""The small problem behind almost every kernel machine: program, duality gap, bounds and enclosure."""

__all__: list[str] = []
