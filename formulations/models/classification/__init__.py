# SPDX-License-Identifier: BSD-3-Clause
"""Models that tell classes apart, and what is made of them."""

__all__: list[str] = []
