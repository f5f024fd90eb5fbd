# SPDX-License-Identifier: BSD-3-Clause
"""Commands that write files for other programs."""

__all__: list[str] = []
