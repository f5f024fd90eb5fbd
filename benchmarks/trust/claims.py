# SPDX-License-Identifier: BSD-3-Clause
"""What the library says of its proofs, sentence by sentence, each with the test that would fail if it were not so."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill

__all__ = ["LIMITS", "PROVED", "Claim", "listed"]


@dataclass(frozen=True)
class Claim:
    """A sentence, or two, and the tests of it, as ``file::name`` below ``tests``; none where nothing can be tested."""

    words: str
    tests: tuple[str, ...]


PROVED = (
    Claim(
        "An answer is `optimal` at `tol` if two numbers prove it, computed in float64 from your data and the "
        "answer alone: P, the value of the problem at a point that satisfies its constraints, and D, the value of "
        "its dual at a point that satisfies those. The optimum lies between D and P, by weak duality.",
        (
            "qpkernels/problems/kernel_qp/test_bounds.py::test_the_primal_value_is_never_below_the_dual_value",
            "contracts/test_properties.py::test_every_candidate_bounds_the_optimum",
        ),
    ),
    Claim(
        "P - D, and a bound of the rounding errors of both, is at most `tol` times max(|P|, |D|).",
        (
            "qpkernels/problems/test_certificate.py::test_a_certificate_from_two_values",
            "qpkernels/problems/test_certificate.py::test_the_gap_counts_the_rounding_of_the_values",
        ),
    ),
    Claim(
        "The answer as it came had to be moved by no more than `tol` of its size to be feasible, and no single "
        "sample or row adds more than `tol` to the gap.",
        (
            "qpkernels/problems/kernel_qp/test_bounds.py::test_each_measure_alone_can_refuse",
            "qpkernels/problems/cone_program/test_optimality.py::test_gaps_that_cancel_are_refused",
        ),
    ),
    Claim(
        "A constraint without slack holds up to the rounding of its own terms, at any `tol`, or the answer is not "
        "proved: neither a large target of another sample nor a large constant hides what it misses.",
        (
            "formulations/modelling/test_hard_rows.py::test_a_target_far_away_hides_no_contradiction",
            "formulations/modelling/test_hard_rows.py::test_what_is_optimal_is_optimal_to_sixty_digits",
        ),
    ),
    Claim(
        "What is handed out is what was judged: P and D are those of the function, the intercept and the "
        "coefficients of the solution, in every form and by every solver.",
        (
            "contracts/test_handed_out.py::test_the_values_are_those_of_what_is_handed_out",
            "contracts/test_handed_out.py::test_the_values_of_a_loose_answer_are_those_of_what_is_handed_out",
        ),
    ),
    Claim(
        "Nothing is small by decree: a gap that is not small against the values proves nothing.",
        ("qpkernels/problems/test_certificate.py::test_no_value_is_small_enough_to_count_as_zero",),
    ),
    Claim(
        "An optimum of 0 is proved only where every term of both values is within the rounding of the sums that "
        "made it.",
        (
            "qpkernels/problems/test_certificate.py::test_an_optimum_of_0_is_one_whose_terms_all_vanish",
            "qpkernels/problems/cone_program/test_optimality.py::test_an_optimum_of_0_is_not_proved_by_rows_that_cancel",
        ),
    ),
    Claim(
        "The word of a solver does not enter.",
        ("qpkernels/solvers/test_interface.py::test_contract_one_iteration_is_not_called_optimal",),
    ),
)
"""What ``optimal`` means."""

LIMITS = (
    Claim(
        "**The question.** What is proved is the optimum of the problem in the data as they are in float64. "
        "Whether it is the problem you meant, no certificate knows.",
        (),
    ),
    Claim(
        "**The kernel.** The ordinary certificate counts the rounding of its sums, given the entries of K as they "
        "are computed.",
        ("qpkernels/problems/test_rounding.py::test_the_bounds_hold_for_features_and_matrices",),
    ),
    Claim(
        "What rounding did to the entries themselves is counted by `model.enclose(answer)`, whose interval holds "
        "in exact arithmetic; on samples far from the origin, with a polynomial kernel, it can be much wider than "
        "the gap.",
        ("contracts/test_enclosures.py::test_the_exact_optimum_is_held",),
    ),
    Claim(
        "That a kernel is positive semidefinite is believed of classes that say so, after a check of 32 samples, "
        "and checked of all others, to 1e-10 of the largest K_ii; above the limit of memory that check is by "
        "products, and finds what it finds.",
        (
            "qpkernels/gram/test_definiteness.py::test_what_a_kernel_says_of_itself_is_checked_on_some_samples",
            "qpkernels/gram/test_definiteness.py::test_lanczos_finds_a_negative_eigenvalue_of_a_matrix_that_is_too_large",
        ),
    ),
    Claim(
        "**Extended forms.** Their certificate is that of a cone program: residuals are shares of the terms of "
        "each row and column, whatever constants the other rows of a second-order, semidefinite, exponential or "
        "power cone have.",
        (
            "qpkernels/problems/cone_program/test_optimality.py::test_certificates_do_not_depend_on_units",
            "qpkernels/problems/cone_program/test_distances.py::test_a_large_constant_hides_no_violation",
        ),
    ),
    Claim(
        "Bounds of variables, and strong convexity, count the slopes that are left over in the values; what no "
        "value counts, a violated row or a slope along a variable without a bound, must be within 1e-9 at any "
        "`tol`. So the values bound the optimum of a program whose coefficients differ by that share.",
        (
            "qpkernels/problems/cone_program/test_optimality.py::test_a_bound_takes_over_a_slope_at_its_own_cost",
            "qpkernels/problems/cone_program/test_optimality.py::test_a_large_row_hides_no_violation",
        ),
    ),
    Claim(
        "Where the terms of a row all but cancel, even such a program can have another optimum: on the LISWET "
        "problems, whose rows are differences of high order, points that are off by 1e-6 of those terms have "
        "objectives that are off by a third. `enclose_cone_program` proves an interval for the coefficients as "
        "they are, or says that it cannot.",
        (
            "qpkernels/problems/cone_program/test_enclosure.py"
            "::test_the_optimum_lies_inside_whatever_was_done_to_the_answer",
        ),
    ),
    Claim(
        "A solution whose statement lets more than the model's own f + b decide has no `predict`: an error names "
        "what is left out. With constraints and penalties of your own it predicts the function of the statement.",
        (
            "formulations/modelling/test_deciding.py::test_what_more_than_f_and_b_decide_is_not_predicted",
            "formulations/modelling/test_deciding.py"
            "::test_constraints_and_penalties_predict_the_function_of_the_statement",
        ),
    ),
    Claim(
        "**Infeasible.** That no function of the space meets the hard constraints of a model holds in exact "
        "arithmetic, for the exact kernel of the samples, targets and parameters as they are in float64: the "
        "multipliers of a few samples, which the error shows, are enclosed or computed as fractions.",
        ("formulations/modelling/test_infeasible.py::test_what_is_infeasible_is_so_in_rational_arithmetic",),
    ),
    Claim(
        "Linear and polynomial kernels, and what is made of them, say without rounding which samples are "
        "dependent, and those of landmarks or random frequencies in the features that they are stated in; of any "
        "other kernel only equal samples count as that, unless its values come without rounding.",
        (
            "formulations/modelling/test_infeasible.py::test_different_samples_are_independent",
            "formulations/modelling/test_infeasible.py::test_kernels_whose_features_are_fewer_than_the_samples",
        ),
    ),
    Claim(
        "Samples that are nearly dependent prove nothing, and neither does a conflict of more samples than can be "
        "settled: the answer then is not `optimal`, or an error says that nothing is proved.",
        ("formulations/modelling/test_infeasible.py::test_a_regular_matrix_of_integers_is_not_singular",),
    ),
    Claim(
        "**Infeasible with constraints of your own, and unbounded,** are proved by multipliers and rays to 1e-9: "
        "what is excluded is any solution less than 1e9 times as large as the data. Where your constraints have "
        "no part in a contradiction, the model decides as without them.",
        (
            "qpkernels/problems/cone_program/test_infeasibility.py::test_a_false_proof_of_infeasibility_is_refused",
            "formulations/modelling/test_infeasible.py::test_constraints_that_have_no_part_in_it_prove_nothing_more",
        ),
    ),
    Claim(
        "**Other people's machines.** An audit certifies the coefficients that an estimator shows, and asks it "
        "for the decision values of up to 1,000 samples: where it does not predict with them, it is not proved.",
        ("formulations/judging/test_machine_audit.py::test_what_predicts_is_audited",),
    ),
    Claim(
        "**The machine.** Intervals assume the arithmetic of IEEE 754, that sums are sums in whatever order (no "
        "product of Strassen's kind in the BLAS), and that exp, log, pow, tanh and sinh are within 4 units in the "
        "last place, which is checked against 60 digits.",
        ("qpkernels/kernels/test_enclosed.py::test_elementary_functions_are_as_exact_as_is_assumed",),
    ),
    Claim(
        "**This code.** A certificate is a few hundred lines; they are tested against rational arithmetic, closed "
        "forms, other software, and by the attacks below. A wrong `optimal` is the worst bug there can be here: "
        "please report it.",
        ("contracts/test_attack.py::test_attacks",),
    ),
)
"""What could still be wrong."""


def listed(claims: tuple[Claim, ...]) -> str:
    """Return the claims as a list in Markdown, each followed by its tests."""
    return "\n".join(map(_item, claims))


def _item(claim: Claim) -> str:
    tests = f" Tests: {', '.join(f'`{test}`' for test in claim.tests)}." if claim.tests else ""
    return fill(
        claim.words + tests,
        118,
        initial_indent="* ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
