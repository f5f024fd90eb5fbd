# SPDX-License-Identifier: BSD-3-Clause
"""Programs as files; every writer has its reader."""

from qpkernels.export.npz import read_npz, write_npz

__all__ = ["read_npz", "write_npz"]
