# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the models of classes, and of the relevance vector machines."""

from extensions.conventions.convention import Convention

__all__ = ["CLASSIFICATION"]

_WITH_CONSTANT = "samples `with_constant(X, s)` and `fit_intercept=False`, with s their `intercept_scaling`"
"""How a machine of LIBLINEAR, whose intercept is penalised, is stated here."""

CLASSIFICATION: tuple[Convention, ...] = (
    Convention(
        "sklearn-perceptron",
        "Perceptron",
        "scikit-learn `Perceptron(shuffle=False)`",
        "the same rule from $w = 0$, $b = 0$",
        "`weights` is `(intercept_, coef_)`, where both end by themselves (`tol=None`, `max_iter` large)",
    ),
    Convention(
        "svc-hard",
        "HardMargin",
        "scikit-learn `SVC(C=c)`, LIBSVM `-s 0 -c c`, with c above every multiplier",
        "the soft margin, which has the same answer from $c = \\max_i \\alpha_i$ on",
        "no C; `dual_coef_` is `beta` on the support vectors, `intercept_` is b",
    ),
    Convention(
        "svc",
        "SoftMargin",
        "scikit-learn `SVC(C=c)`",
        "the same; `class_weight` and `sample_weight` multiply c",
        "`C = c`, or an array of costs; `dual_coef_` is `beta` on the support vectors, `intercept_` is b",
    ),
    Convention(
        "libsvm",
        "SoftMargin",
        "LIBSVM `-s 0 -c c`",
        "the same, with the decision value $\\sum_i \\mathrm{sv\\_coef}_i\\, k(x_i, x) - \\text{rho}$, above 0 for its "
        "first label: that of the first sample, or +1 where the labels are −1 and +1",
        "`C = c`; with s = 1 where its first label is the greater one, else s = −1: "
        "`beta` = s · `sv_coef`, b = −s · `rho`",
    ),
    Convention(
        "liblinear-hinge",
        "SoftMargin",
        'scikit-learn `LinearSVC(loss="hinge", C=c)`, LIBLINEAR `-s 3 -c c -B s`',
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert w\\rVert^2 + b^2/s^2) + c \\sum_i \\xi_i$",
        f"{_WITH_CONSTANT}; `C = c`; b = s times the last weight",
    ),
    Convention(
        "kernlab-c-svc",
        "SoftMargin",
        'kernlab `ksvm(type = "C-svc", C = c, scaled = FALSE)`',
        "the same, with the decision value $\\sum_i \\text{coef}_i\\, k(x_i, x) - b$, above 0 for the later level",
        "`C = c`; `RBF(gamma)` with gamma = `sigma`; `beta` = `coef`, our b = −`b`",
    ),
    Convention(
        "kernlab-c-bsvc",
        "SoftMargin",
        'kernlab `ksvm(type = "C-bsvc", C = c, scaled = FALSE)`',
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert f\\rVert^2 + b^2) + c \\sum_i \\xi_i$",
        "the kernel $k + 1$ and `fit_intercept=False`; `C = c`; `beta` = `coef`, whose sum is −`b`",
    ),
    Convention(
        "soft-margin-risk",
        "SoftMargin",
        "the regularised risk",
        "$\\lambda \\lVert f\\rVert^2 + \\frac1m \\sum_i \\max(0, 1 - y_i (f(x_i) + b))$",
        "$C = 1/(2 m \\lambda)$; with $\\tfrac\\lambda2 \\lVert f\\rVert^2$ in its place $C = 1/(m \\lambda)$",
    ),
    Convention(
        "liblinear-squared",
        "SquaredHinge",
        "scikit-learn `LinearSVC(C=c)`, LIBLINEAR `-s 1` and `-s 2` with `-c c -B s`",
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert w\\rVert^2 + b^2/s^2) + c \\sum_i \\xi_i^2$",
        f"{_WITH_CONSTANT}; `C = c`; b = s times the last weight",
    ),
    Convention(
        "squared-hinge-half",
        "SquaredHinge",
        'the L2-SVM of textbooks; scikit-learn `SVC(kernel="precomputed")` of $K + I/c$ with a large C',
        "$\\tfrac12 \\lVert f\\rVert^2 + \\tfrac{c}{2} \\sum_i \\xi_i^2$",
        "$C = c/2$; `dual_coef_` is `beta` on the support vectors, `intercept_` is b",
    ),
    Convention(
        "nu-svc",
        "NuMargin",
        "scikit-learn `NuSVC(nu=nu)`, LIBSVM `-s 1 -n nu`",
        "$m$ times ours, solved, then divided by its level: margins are ±1 as in the soft margin",
        "`nu = nu`; with rho our `margin_level`: `dual_coef_` = `beta` / rho, `intercept_` = b / rho; "
        "their largest coefficient is the C of that soft margin, $1/(m \\rho)$",
    ),
    Convention(
        "kernlab-nu-svc",
        "NuMargin",
        'kernlab `ksvm(type = "nu-svc", nu = nu, scaled = FALSE)`',
        "as in LIBSVM, with the decision value $\\sum_i \\text{coef}_i\\, k(x_i, x) - b$",
        "`nu = nu`; `coef` = `beta` / rho, `b` = −(our b) / rho",
    ),
    Convention(
        "logistic-regression",
        "Logistic",
        "scikit-learn `LogisticRegression(C=c)`",
        "the same, of the features as they are (no kernel)",
        "`C = c`; $w = X'\\beta$ is `coef_`, b is `intercept_`",
    ),
    Convention(
        "liblinear-logistic",
        "Logistic",
        'scikit-learn `LogisticRegression(solver="liblinear", C=c)`, LIBLINEAR `-s 0` and `-s 7` with `-c c -B s`',
        "the same, but for a penalty of the intercept, $\\tfrac12 (\\lVert w\\rVert^2 + b^2/s^2) + c \\sum_i \\ell_i$",
        f"{_WITH_CONSTANT}; `C = c`; b = s times the last weight",
    ),
    Convention(
        "glmnet-logistic",
        "Logistic",
        'glmnet `glmnet(family = "binomial", alpha = 0, lambda = l, standardize = FALSE)`',
        "$\\frac1m \\sum_i \\log(1 + e^{-y_i (w'x_i + b)}) + \\tfrac{l}{2} \\lVert w\\rVert^2$",
        "$C = 1/(m\\, l)$; the same $w$ and b",
    ),
    Convention(
        "penalised-logistic",
        "PenalisedLogistic",
        "scikit-learn `LogisticRegression(C=c, fit_intercept=False)`",
        "$m/(2\\lambda)$ times ours",
        "`regularisation` = $1/(2c)$: our λ/m ‖f‖² is divided by m like the losses, so m drops out",
    ),
    Convention(
        "sgd-classifier",
        "MarginLossClassifier",
        'scikit-learn `SGDClassifier(loss="log_loss", alpha=a)`, also `"hinge"` and `"squared_hinge"`',
        "$\\tfrac{a}{2} \\lVert w\\rVert^2 + \\frac1m \\sum_i \\psi(y_i (w'x_i + b))$",
        "$C = 1/(m\\, a)$; the same $w$ and b, as far as the steps have come",
    ),
    Convention(
        "logistic-ball",
        "NormConstrainedClassifier",
        "scikit-learn `LogisticRegression(C=c)`",
        "a penalty in place of the ball, $\\tfrac12 \\lVert w\\rVert^2 + c \\sum_i \\log(1 + e^{-z_i})$",
        "`loss=LogisticLoss()`, R the squared norm of `coef_`; the multiplier of the ball is $1/(2 m c)$",
    ),
    Convention(
        "ridge-classifier",
        "LeastSquaresClassifier",
        "scikit-learn `RidgeClassifier(alpha=a)`",
        "$\\sum_i (y_i - w'x_i - b)^2 + a \\lVert w\\rVert^2$",
        "$C = 1/a$; $w = X'\\beta$ is `coef_`, b is `intercept_`",
    ),
    Convention(
        "lssvmlab-1.8",
        "LeastSquaresClassifier",
        "LS-SVMlab 1.8 `trainlssvm({X, Y, 'c', gam, sig2, 'RBF_kernel'})`",
        "the same, with the kernel $\\exp(-\\lVert x - z\\rVert^2 / (2\\,\\text{sig2}))$",
        "`C = gam`; `RBF(gamma)` with gamma = 1 / (2 · `sig2`); `alpha` is our signed `beta`, `b` is b",
    ),
    Convention(
        "lssvmlab-1.5",
        "LeastSquaresClassifier",
        "LS-SVMlab 1.5 (the sources of 2002)",
        "the same, with the kernel $\\exp(-\\lVert x - z\\rVert^2 / \\text{sig2})$",
        "`C = gam`; `RBF(gamma)` with gamma = 1 / `sig2`; `alpha` is our `alpha` = y · `beta`, `b` is b",
    ),
    Convention(
        "kernlab-lssvm",
        "LeastSquaresClassifier",
        "kernlab `lssvm(reduced = FALSE, tau = t, scaled = FALSE)`, of two classes",
        "$\\frac1m \\sum_i (t_i - f(x_i) - b)^2 + \\text{tau}\\, \\lVert f\\rVert^2$ "
        "with targets $t_i = 1$ and 0 in place of ±1",
        "$C = 1/(m\\,\\text{tau})$; of the later level: `beta` = 2 · their coefficients, our b = 2`b` − 1",
    ),
    Convention(
        "one-class-svm",
        "OneClass",
        "scikit-learn `OneClassSVM(nu=nu)`, LIBSVM `-s 2 -n nu`",
        "$\\nu m$ times ours: $0 \\le \\alpha_i \\le 1$, $\\sum_i \\alpha_i = \\nu m$",
        "`nu = nu`; `dual_coef_`, `offset_` (LIBSVM: `rho`) and decision values are ν m "
        "times our `beta`, rho and values",
    ),
    Convention(
        "kernlab-one-svc",
        "OneClass",
        'kernlab `ksvm(type = "one-svc", nu = nu, scaled = FALSE)`',
        "as in LIBSVM",
        "`nu = nu`; `coef` and `b` are ν m times our `beta` and rho",
    ),
    Convention(
        "one-vs-rest",
        "OneVersusRest",
        "scikit-learn `OneVsRestClassifier(SVC())`",
        "the same machines",
        "the same columns of decision values",
    ),
    Convention(
        "svc-one-vs-one",
        "OneVersusOne",
        'scikit-learn `SVC(decision_function_shape="ovo")`',
        "the same machines, each with the other sign",
        "column (j, k), j < k, is the negative of ours: above 0 it speaks for class j there, for class k here",
    ),
    Convention(
        "platt",
        "PlattCalibration",
        "Platt (2000); LIBSVM `-b 1` (`probA`, `probB`)",
        "$P(y = 1) = 1 / (1 + \\exp(A s + B))$, of Platt's targets",
        '`targets="platt"`; our A = −A, B = −B; in LIBSVM s and P are those of its first label',
    ),
    Convention(
        "calibrated-classifier",
        "PlattCalibration",
        'scikit-learn `CalibratedClassifierCV(method="sigmoid")`',
        "the sum of the losses, of Platt's targets and sign",
        '`targets="platt"`; A = −`a_`, B = −`b_` of each calibrator',
    ),
    Convention(
        "ard-regression",
        "RelevanceRegression",
        "scikit-learn `ARDRegression(alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, fit_intercept=False)`",
        "the same evidence, of the columns that it is given: $[1, K]$, the `columns` of our machine",
        "`alpha` = `lambda_`, `noise` = 1 / `alpha_`; the default gamma "
        "priors of $10^{-6}$ change the evidence a little",
    ),
    Convention(
        "kernlab-rvm",
        "RelevanceRegression",
        "kernlab `rvm()`",
        "the evidence of the columns $K + 10^{-6} I$, without the constant",
        "where our bias is pruned: the same vectors, `noise` = `nvar`",
    ),
)
