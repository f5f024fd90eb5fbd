# SPDX-License-Identifier: BSD-3-Clause
"""Lowering the gap of a machine of a batch: in compiled code, or with rows that machines on the same samples keep."""

__all__: list[str] = []
