# SPDX-License-Identifier: BSD-3-Clause
"""The page: what was measured, in words and tables."""

from benchmarks.pages.page import page
from benchmarks.pages.single import in_order

__all__ = ["in_order", "page"]
