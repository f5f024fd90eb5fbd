# SPDX-License-Identifier: BSD-3-Clause
"""What mypy knows of the installed packages: without their types, each of these would be Any."""

from typing import assert_type

from formulations import SoftMargin
from qpkernels import RBF
from qpkernels.problems import Certificate

model = SoftMargin([[0.0], [1.0]], [-1, 1], RBF(gamma=1.0), C=1.0)
certificate = model.solve(tol=1e-6).certificate
assert_type(certificate, Certificate)
assert_type(certificate.primal_value, float)
assert_type(certificate.holds(1e-6), bool)
