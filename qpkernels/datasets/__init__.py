# SPDX-License-Identifier: BSD-3-Clause
"""Data sets as float64 samples, dense or sparse, and the two preparations every example needs.

The sets bundled with scikit-learn are known by name; files are read in the LIBSVM, CSV and npz formats;
nothing is downloaded. A malformed text file is refused with the line and the column at fault.
"""

from qpkernels.datasets.dataset import BUNDLED_NAMES, Dataset, load_dataset
from qpkernels.datasets.labels import one_versus_rest
from qpkernels.datasets.scaling import Scaling, scale_features

__all__ = ["BUNDLED_NAMES", "Dataset", "Scaling", "load_dataset", "one_versus_rest", "scale_features"]
