# SPDX-License-Identifier: BSD-3-Clause
"""Why tests of scikit-learn do not hold here: by the name of the test, or of one of its cases."""

from __future__ import annotations

__all__ = ["REASONS", "reason_of"]

_NEGATIVE = "a negative sample_weight is an error here: LIBSVM takes such samples for absent ones without a word"
_PROBABILITY = "`probability=True` is not deprecated here: each sigmoid is a proved problem of its own"
_NO_LIMIT = "two iterations, or two passes, are enough here: the answer is proved, so that there is nothing to warn of"
_INTERNAL = "looks at an attribute of LIBSVM's wrapper that is not documented"
_DIGITS = "compares two coefficients to 6 digits at tol=1e-3: one kernel, two methods, both within the tolerance"

REASONS = {
    "test_precomputed": _DIGITS,
    "test_svc_clone_with_callable_kernel": _DIGITS,
    "test_custom_kernel_not_array_input[SVR]": "compares R^2 by features and by kernel values to the last digit",
    "test_tweak_params": f"{_INTERNAL}: `_dual_coef_`",
    "test_svc_raises_error_internal_representation": f"{_INTERNAL}: `_n_support`",
    "test_gamma_scale": f"{_INTERNAL}: `_gamma`",
    "test_negative_weights_svc_leave_just_one_label": _NEGATIVE,
    "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]": _NEGATIVE,
    "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-NuSVC]": _NEGATIVE,
    "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]": _NEGATIVE,
    "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVC]": _NEGATIVE,
    "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVR]": _NEGATIVE,
    "test_bad_input": "wants sparse samples refused by a machine of dense ones; they are taken here",
    "test_svr_errors": "wants a kernel of the wrong shape refused by `predict`; `fit` refuses it already",
    "test_libsvm_convergence_warnings": _NO_LIMIT,
    "test_linear_svm_convergence_warnings": _NO_LIMIT,
    "test_probability_raises_futurewarning": _PROBABILITY,
    "test_svc_nusvc_probA_probB_deprecated": _PROBABILITY,
}
"""Reasons; a name without a case stands for all of its cases."""


def reason_of(test: str) -> str | None:
    """Return why a case of a test does not hold, or None where nothing is known."""
    return REASONS.get(test) or REASONS.get(test.partition("[")[0])
