# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries call the models, and how their parameters, scales and signs translate: the table of the site."""

from extensions.conventions.classification import CLASSIFICATION
from extensions.conventions.convention import Convention
from extensions.conventions.regression import REGRESSION

__all__ = ["TABLE", "Convention"]

TABLE: tuple[Convention, ...] = (*CLASSIFICATION, *REGRESSION)
