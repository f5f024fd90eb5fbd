# SPDX-License-Identifier: BSD-3-Clause
"""Each solver of this extra solves a form."""

from formulations import SoftMargin

model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
for name in ("piqp", "daqp", "proxqp", "scs"):
    solution = model.dual.solve(name, tol=1e-6)
    assert solution.certificate.holds(1e-6), solution.certificate
