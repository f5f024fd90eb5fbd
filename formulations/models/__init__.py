# SPDX-License-Identifier: BSD-3-Clause
"""The models, by what they learn: classes, numbers, or either of these with relevance vectors."""

__all__: list[str] = []
