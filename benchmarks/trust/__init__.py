# SPDX-License-Identifier: BSD-3-Clause
"""What can be trusted: solvers before a judge, on problems of others and of our own."""
