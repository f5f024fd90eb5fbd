# SPDX-License-Identifier: BSD-3-Clause
"""Hyperplanes that separate two classes: whether there is one, and the rules that find one."""

__all__: list[str] = []
