# SPDX-License-Identifier: BSD-3-Clause
"""The tests of scikit-learn, on our estimators in place of its own."""
