# SPDX-License-Identifier: BSD-3-Clause
"""Commands that solve problems, and say how well the answers are proved."""

__all__: list[str] = []
