# SPDX-License-Identifier: BSD-3-Clause
"""Problems in matrices and cones: program, elimination, certificates and enclosure."""

__all__: list[str] = []
