# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the models with real targets."""

from extensions.conventions.convention import Convention

__all__ = ["REGRESSION"]

_WITH_CONSTANT = "samples `with_constant(X, s)` and `fit_intercept=False`, with s their `intercept_scaling`"
"""How a machine of LIBLINEAR, whose intercept is penalised, is stated here."""

_EXPANDED = "with the decision value $\\sum_i \\text{coef}_i\\, k(x_i, x) - b$"
"""How kernlab writes what it finds."""

REGRESSION: tuple[Convention, ...] = (
    Convention(
        "svr-hard",
        "HardTube",
        "scikit-learn `SVR(C=c, epsilon=e)`, LIBSVM `-s 3 -c c -p e`, with c above every multiplier",
        "the soft tube, which has the same answer from $c = \\max_i \\lvert\\beta_i\\rvert$ on",
        "no C; `epsilon = e`; `dual_coef_` is `beta` on the support vectors, `intercept_` is b",
    ),
    Convention(
        "svr",
        "SoftTube",
        "scikit-learn `SVR(C=c, epsilon=e)`",
        "the same; `sample_weight` multiplies c",
        "`C = c`, or an array of costs; `epsilon = e`; `dual_coef_` is `beta` on the support vectors, "
        "`intercept_` is b",
    ),
    Convention(
        "libsvm-svr",
        "SoftTube",
        "LIBSVM `-s 3 -c c -p e`",
        "the same, with the decision value $\\sum_i \\mathrm{sv\\_coef}_i\\, k(x_i, x) - \\text{rho}$",
        "`C = c`, `epsilon = e`; `beta` = `sv_coef`, b = −`rho`",
    ),
    Convention(
        "liblinear-svr",
        "SoftTube",
        "scikit-learn `LinearSVR(C=c, epsilon=e)`, LIBLINEAR `-s 13 -c c -p e -B s`",
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert w\\rVert^2 + b^2/s^2) + c \\sum_i \\xi_i$",
        f"{_WITH_CONSTANT}; `C = c`, `epsilon = e`; b = s times the last weight",
    ),
    Convention(
        "kernlab-eps-svr",
        "SoftTube",
        'kernlab `ksvm(type = "eps-svr", C = c, epsilon = e, scaled = FALSE)`',
        f"the same, {_EXPANDED}",
        "`C = c`, `epsilon = e`; `RBF(gamma)` with gamma = `sigma`; `beta` = `coef`, our b = −`b`",
    ),
    Convention(
        "kernlab-eps-bsvr",
        "SoftTube",
        'kernlab `ksvm(type = "eps-bsvr", C = c, epsilon = e, scaled = FALSE)`',
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert f\\rVert^2 + b^2) + c \\sum_i \\xi_i$",
        "the kernel $k + 1$ and `fit_intercept=False`; `C = c`, `epsilon = e`; `beta` = `coef`, whose sum is −`b`",
    ),
    Convention(
        "tube-risk",
        "SoftTube",
        'the regularised risk; scikit-learn `SGDRegressor(loss="epsilon_insensitive", epsilon=e, alpha=a)` with '
        "$a = 2\\lambda$",
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i \\max(0, \\lvert r_i\\rvert - e)$",
        "$C = 1/(2 m \\lambda)$, `epsilon = e`; the same $f$ and b",
    ),
    Convention(
        "tube-risk-origin",
        "PenalisedTube",
        "the regularised risk without b",
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i \\max(0, \\lvert y_i - f(x_i)\\rvert - e)$",
        "`regularisation` = $m \\lambda$, `epsilon = e`",
    ),
    Convention(
        "liblinear-svr-origin",
        "PenalisedTube",
        "scikit-learn `LinearSVR(C=c, epsilon=e, fit_intercept=False)`, LIBLINEAR `-s 13 -c c -p e`",
        "$m/(2\\lambda)$ times ours",
        "`regularisation` = $1/(2c)$, `epsilon = e`; $w = X'\\beta$ is `coef_`",
    ),
    Convention(
        "nu-svr",
        "NuTube",
        "scikit-learn `NuSVR(C=c, nu=nu)`, LIBSVM `-s 4 -c c -n nu`",
        "the same",
        "`C = c`, `nu = nu`; `dual_coef_` is `beta` on the support vectors, `intercept_` is b, `rho` is −b",
    ),
    Convention(
        "kernlab-nu-svr",
        "NuTube",
        'kernlab `ksvm(type = "nu-svr", C = c, nu = nu, scaled = FALSE)`',
        f"the same, {_EXPANDED}",
        "`C = c`, `nu = nu`; `RBF(gamma)` with gamma = `sigma`; `beta` = `coef`, our b = −`b`",
    ),
    Convention(
        "nu-svr-paper",
        "NuTube",
        "Schölkopf and others (2000)",
        "$\\tfrac12 \\lVert w\\rVert^2 + c\\, (\\nu \\varepsilon + \\frac1m \\sum_i (\\xi^+_i + \\xi^-_i))$",
        "$C = c/m$, the same $\\nu$; the same $w$, b and $\\varepsilon$",
    ),
    Convention(
        "kernlab-kqr",
        "Quantile",
        "kernlab `kqr(tau = t, C = c, scaled = FALSE)`",
        "the same, with the decision value $\\sum_i \\text{alpha}_i\\, k(x_i, x) - b$",
        "`C = c`, `tau = t`; `RBF(gamma)` with gamma = `sigma`; `beta` = `alpha`, our b = −`b`",
    ),
    Convention(
        "quantile-risk",
        "Quantile",
        "Takeuchi and others (2006), the regularised risk",
        "$\\tfrac\\lambda2 \\lVert f\\rVert^2 + \\frac1m \\sum_i \\max(\\tau r_i, (\\tau - 1) r_i)$",
        "$C = 1/(m \\lambda)$, the same $\\tau$; the same $f$ and b",
    ),
    Convention(
        "quantile-regressor",
        "Quantile",
        "scikit-learn `QuantileRegressor(quantile=t, alpha=a)`",
        "another penalty, $a \\lVert w\\rVert_1 + \\frac1m \\sum_i \\max(t r_i, (t - 1) r_i)$",
        "only $a = 0$ agrees: `tau = t` and a C so large that the norm decides between fits of equal loss alone",
    ),
    Convention(
        "huber-regressor",
        "Huber",
        "scikit-learn `HuberRegressor(epsilon=e, alpha=a)`",
        "$\\sum_i \\sigma \\bigl(1 + 2 h_e(r_i/\\sigma)\\bigr) + a \\lVert w\\rVert^2$ over $\\sigma$ too, "
        "with e as the delta of $h_e$",
        "with $\\sigma$ its `scale_`: `delta` = $e \\sigma$, $C = 1/(a \\sigma)$; $w = X'\\beta$ is `coef_`, "
        "b is `intercept_`",
    ),
    Convention(
        "huber-risk",
        "Huber",
        'the regularised risk; scikit-learn `SGDRegressor(loss="huber", epsilon=e, alpha=a)` with $a = 2\\lambda$',
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i h(r_i)$",
        "$C = 1/(2 m \\lambda)$, `delta = e`; the same $f$ and b",
    ),
    Convention(
        "liblinear-squared-svr",
        "ResidualLossRegression",
        'scikit-learn `LinearSVR(loss="squared_epsilon_insensitive", C=c, epsilon=e)`, LIBLINEAR `-s 11` and `-s 12` '
        "with `-c c -p e -B s`",
        "$\\tfrac12 (\\lVert w\\rVert^2 + b^2/s^2) + c \\sum_i \\max(0, \\lvert r_i\\rvert - e)^2$",
        f"`loss=SquaredEpsilonInsensitive(e)`; {_WITH_CONSTANT}; `C = c`; b = s times the last weight",
    ),
    Convention(
        "weighted-ridge",
        "ResidualLossRegression",
        "scikit-learn `Ridge(alpha=a)` with `sample_weight` v",
        "$\\sum_i v_i r_i^2 + a \\lVert w\\rVert^2$",
        "`loss=AbsolutePower(2)`, $C_i = v_i/(2a)$; $w = X'\\beta$ is `coef_`, b is `intercept_`",
    ),
    Convention(
        "ridge-ball",
        "NormConstrainedRegression",
        "scikit-learn `Ridge(alpha=a)`",
        "a penalty in place of the ball, $\\sum_i r_i^2 + a \\lVert w\\rVert^2$",
        "`loss=Squared()`, R the squared norm of `coef_`; the multiplier of the ball is $a/2$",
    ),
    Convention(
        "ridge",
        "LeastSquares",
        "scikit-learn `Ridge(alpha=a)`",
        "$\\sum_i r_i^2 + a \\lVert w\\rVert^2$",
        "$C = 1/a$; $w = X'\\beta$ is `coef_`, b is `intercept_`",
    ),
    Convention(
        "lssvmlab-regression",
        "LeastSquares",
        "LS-SVMlab 1.8 `trainlssvm({X, Y, 'f', gam, sig2, 'RBF_kernel', 'original'})`",
        "the same, with the kernel $\\exp(-\\lVert x - z\\rVert^2 / (2\\,\\text{sig2}))$",
        "`C = gam`; `RBF(gamma)` with gamma = 1 / (2 · `sig2`); `alpha` is `beta`, `b` is b",
    ),
    Convention(
        "least-squares-risk",
        "LeastSquares",
        "the regularised risk",
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i r_i^2$",
        "$C = 1/(m \\lambda)$; the same $f$ and b",
    ),
    Convention(
        "kernel-ridge",
        "KernelRidge",
        "scikit-learn `KernelRidge(alpha=a)`",
        "$m$ times ours, $\\sum_i r_i^2 + a \\lVert f\\rVert^2$",
        "`regularisation = a`; `dual_coef_` is `beta`",
    ),
    Convention(
        "gaussian-process",
        "KernelRidge",
        "scikit-learn `GaussianProcessRegressor(kernel, alpha=a, optimizer=None)`",
        "its mean is the same $f$; a is the variance of the noise",
        "`regularisation = a`; `alpha_` is `beta`",
    ),
    Convention(
        "kernlab-gausspr",
        "KernelRidge",
        "kernlab `gausspr(var = v, scaled = FALSE)`",
        "the same $f$",
        "`regularisation = v`; `RBF(gamma)` with gamma = `sigma`; `alpha` is `beta`",
    ),
    Convention(
        "ridge-origin",
        "KernelRidge",
        "scikit-learn `Ridge(alpha=a, fit_intercept=False)`",
        "$m$ times ours, of the features as they are (no kernel)",
        "`regularisation = a`; $w = X'\\beta$ is `coef_`",
    ),
    Convention(
        "kernel-ridge-risk",
        "KernelRidge",
        "the regularised risk without b",
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i (y_i - f(x_i))^2$",
        "`regularisation` = $m \\lambda$",
    ),
    Convention(
        "rbf-smoothing",
        "KernelRidge",
        'SciPy `RBFInterpolator(X, y, kernel="gaussian", epsilon=e, smoothing=s, degree=-1)`',
        "the same $f$, with the kernel $\\exp(-e^2 \\lVert x - z\\rVert^2)$",
        "`regularisation = s`; `RBF(gamma)` with gamma = $e^2$",
    ),
    Convention(
        "rbf-interpolation",
        "Interpolation",
        'SciPy `RBFInterpolator(X, y, kernel="gaussian", epsilon=e, degree=-1)`',
        "the same, with the kernel $\\exp(-e^2 \\lVert x - z\\rVert^2)$; without `degree=-1` with a free polynomial",
        "`RBF(gamma)` with gamma = $e^2$",
    ),
    Convention(
        "lasso",
        "SparseApproximation",
        "scikit-learn `Lasso(alpha=a, fit_intercept=False)` of the design $L'$ and the targets $L^{-1}y$, $K = LL'$",
        "$\\frac{1}{2m} \\lVert L^{-1}y - L'\\beta\\rVert^2 + a \\lVert\\beta\\rVert_1$",
        "`epsilon` = $m\\, a$; `coef_` is `beta`",
    ),
    Convention(
        "linear-regression",
        "LeastSquaresFit",
        "scikit-learn `LinearRegression()`",
        "the same",
        "w is `coef_`, of least norm where there are several; b is `intercept_`",
    ),
    Convention(
        "median-regressor",
        "LeastAbsoluteFit",
        "scikit-learn `QuantileRegressor(quantile=0.5, alpha=0)`",
        "$\\frac{1}{2m} \\sum_i \\lvert r_i\\rvert$",
        "w is `coef_`, b is `intercept_`",
    ),
)
