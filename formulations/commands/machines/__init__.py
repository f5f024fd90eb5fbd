# SPDX-License-Identifier: BSD-3-Clause
"""Commands that train machines and use them."""

__all__: list[str] = []
