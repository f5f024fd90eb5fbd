# SPDX-License-Identifier: BSD-3-Clause
"""Models that separate classes, and machines that are built from these."""

__all__: list[str] = []
