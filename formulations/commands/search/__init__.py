# SPDX-License-Identifier: BSD-3-Clause
"""Commands that choose hyper-parameters."""

__all__: list[str] = []
