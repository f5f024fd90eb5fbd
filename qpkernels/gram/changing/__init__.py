# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix whose samples come, go and change: its entries are kept, and so is its last product."""

from qpkernels.gram.changing.changing_gram import ChangingGram, changed, stored
from qpkernels.gram.changing.growing import GrowingMatrix, Stored

__all__ = ["ChangingGram", "GrowingMatrix", "Stored", "changed", "stored"]
