# SPDX-License-Identifier: BSD-3-Clause
"""Programs and machines as files; every writer has its reader."""

from qpkernels.files.registry import FORMATS, Format, read, write

__all__ = ["FORMATS", "Format", "read", "write"]
