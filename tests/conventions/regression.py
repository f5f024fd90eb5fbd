# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the models with real targets."""
