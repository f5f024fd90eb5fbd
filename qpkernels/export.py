# SPDX-License-Identifier: BSD-3-Clause
"""The former name of the reader of .npz files, now :func:`qpkernels.files.read`."""

from qpkernels.files import read as read_npz

__all__ = ["read_npz"]
