# SPDX-License-Identifier: BSD-3-Clause
"""The models by what they learn: classes, numbers, and either with relevances in place of support vectors."""

__all__: list[str] = []
