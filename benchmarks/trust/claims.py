# SPDX-License-Identifier: BSD-3-Clause
"""The claims that the library makes about its proofs, each with the tests that would fail if it were false."""

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
        "An answer is `optimal` at `tol` if two numbers prove it. Both are computed in float64 from your data and "
        "the answer alone: P is the value of the problem at a point that satisfies its constraints, and D is the "
        "value of its dual at a point that satisfies the dual's constraints. By weak duality the optimum lies "
        "between D and P.",
        (
            "qpkernels/problems/kernel_qp/test_bounds.py::test_the_primal_value_is_never_below_the_dual_value",
            "contracts/test_properties.py::test_every_candidate_bounds_the_optimum",
        ),
    ),
    Claim(
        "The difference P - D, together with a bound of the rounding errors of both, is at most `tol` times "
        "max(|P|, |D|).",
        (
            "qpkernels/problems/test_certificate.py::test_a_certificate_from_two_values",
            "qpkernels/problems/test_certificate.py::test_the_gap_counts_the_rounding_of_the_values",
        ),
    ),
    Claim(
        "To become feasible, the answer of the solver had to be moved by no more than `tol` of its size, and no "
        "single sample or row adds more than `tol` to the gap.",
        (
            "qpkernels/problems/kernel_qp/test_bounds.py::test_each_measure_alone_can_refuse",
            "qpkernels/problems/cone_program/test_optimality.py::test_gaps_that_cancel_are_refused",
        ),
    ),
    Claim(
        "A constraint without slack holds up to the rounding of its own terms, at any `tol`, or the answer is not "
        "proved. Neither a large target of another sample nor a large constant can hide a violation.",
        (
            "formulations/modelling/test_hard_rows.py::test_a_target_far_away_hides_no_contradiction",
            "formulations/modelling/test_hard_rows.py::test_what_is_optimal_is_optimal_to_sixty_digits",
        ),
    ),
    Claim(
        "You receive the answer that was judged: P and D are the values of the function, the intercept and the "
        "coefficients of the solution, in every form and for every solver.",
        (
            "contracts/test_handed_out.py::test_the_values_are_those_of_what_is_handed_out",
            "contracts/test_handed_out.py::test_the_values_of_a_loose_answer_are_those_of_what_is_handed_out",
        ),
    ),
    Claim(
        "No gap counts as small in absolute terms: a gap that is not small relative to the values proves nothing.",
        ("qpkernels/problems/test_certificate.py::test_no_value_is_small_enough_to_count_as_zero",),
    ),
    Claim(
        "An optimum of 0 is proved only where every term of both values is within the rounding errors of the sums "
        "that made it.",
        (
            "qpkernels/problems/test_certificate.py::test_an_optimum_of_0_is_one_whose_terms_all_vanish",
            "qpkernels/problems/cone_program/test_optimality.py::test_an_optimum_of_0_is_not_proved_by_rows_that_cancel",
        ),
    ),
    Claim(
        "The solver's own claim plays no part.",
        ("qpkernels/solvers/test_interface.py::test_contract_one_iteration_is_not_called_optimal",),
    ),
)
"""The meaning of ``optimal``."""

LIMITS = (
    Claim(
        "**The question.** The proof is about the optimum of the problem for the data as they are in float64. No "
        "certificate can know whether this is the problem that you meant.",
        (),
    ),
    Claim(
        "**The kernel.** The ordinary certificate counts the rounding errors of its sums, but takes the entries "
        "of K as they were computed.",
        ("qpkernels/problems/test_rounding.py::test_the_bounds_hold_for_features_and_matrices",),
    ),
    Claim(
        "The rounding errors of the entries themselves are counted by `model.enclose(answer)`, whose interval "
        "holds in exact arithmetic. For samples far from the origin and a polynomial kernel it can be much wider "
        "than the gap.",
        ("contracts/test_enclosures.py::test_the_exact_optimum_is_held",),
    ),
    Claim(
        "A class that says of its kernel that it is positive semidefinite is believed after a check of 32 "
        "samples. Every other kernel matrix is checked, to 1e-10 of the largest K_ii. Above the limit of memory "
        "that check uses products alone, and may miss a negative eigenvalue.",
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
        "Bounds of variables and strong convexity turn a slope that is left over into a part of the values. A "
        "residual that no value counts, such as a violated row or a slope along a variable without a bound, must "
        "be within 1e-9 at any `tol`. The values therefore bound the optimum of a program whose coefficients "
        "differ by that share.",
        (
            "qpkernels/problems/cone_program/test_optimality.py::test_a_bound_takes_over_a_slope_at_its_own_cost",
            "qpkernels/problems/cone_program/test_optimality.py::test_a_large_row_hides_no_violation",
        ),
    ),
    Claim(
        "Where the terms of a row all but cancel, even such a program can have a different optimum. In the LISWET "
        "problems, whose rows are differences of high order, points that are off by 1e-6 of those terms have "
        "objectives that are off by a third. `enclose_cone_program` proves an interval for the coefficients as "
        "they are, or says that it cannot.",
        (
            "qpkernels/problems/cone_program/test_enclosure.py"
            "::test_the_optimum_lies_inside_whatever_was_done_to_the_answer",
        ),
    ),
    Claim(
        "A solution has no `predict` where more than the model's own f + b decides in its statement: an error "
        "names what would be left out. With constraints and penalties of your own it predicts the function of the "
        "statement.",
        (
            "formulations/modelling/test_deciding.py::test_what_more_than_f_and_b_decide_is_not_predicted",
            "formulations/modelling/test_deciding.py"
            "::test_constraints_and_penalties_predict_the_function_of_the_statement",
        ),
    ),
    Claim(
        "**Infeasible.** The statement that no function of the space meets the hard constraints of a model holds "
        "in exact arithmetic, for the exact kernel of the samples, and for targets and parameters as they are in "
        "float64. The multipliers of a few samples, which the error shows, are enclosed or computed as fractions.",
        ("formulations/modelling/test_infeasible.py::test_what_is_infeasible_is_so_in_rational_arithmetic",),
    ),
    Claim(
        "Linear and polynomial kernels, and kernels made of them, tell without rounding which samples are "
        "dependent; kernels of landmarks or random frequencies do so in the features in which they are stated. "
        "For any other kernel only equal samples count as dependent, unless its values come without rounding.",
        (
            "formulations/modelling/test_infeasible.py::test_different_samples_are_independent",
            "formulations/modelling/test_infeasible.py::test_kernels_whose_features_are_fewer_than_the_samples",
        ),
    ),
    Claim(
        "Samples that are nearly dependent prove nothing, and neither does a conflict of more samples than can be "
        "settled. In both cases the answer is not `optimal`, or an error says that nothing is proved.",
        ("formulations/modelling/test_infeasible.py::test_a_regular_matrix_of_integers_is_not_singular",),
    ),
    Claim(
        "**Infeasible with constraints of your own, and unbounded.** Multipliers and rays prove both to 1e-9: "
        "they exclude any solution that is less than 1e9 times as large as the data. Where your constraints have "
        "no part in a contradiction, the model decides as it does without them.",
        (
            "qpkernels/problems/cone_program/test_infeasibility.py::test_a_false_proof_of_infeasibility_is_refused",
            "formulations/modelling/test_infeasible.py::test_constraints_that_have_no_part_in_it_prove_nothing_more",
        ),
    ),
    Claim(
        "**Other people's machines.** An audit certifies the coefficients that an estimator shows, and asks it "
        "for the decision values of up to 1,000 samples. An estimator that does not predict with these "
        "coefficients is not proved.",
        ("formulations/judging/test_machine_audit.py::test_what_predicts_is_audited",),
    ),
    Claim(
        "**The machine.** Intervals assume the arithmetic of IEEE 754, sums in any order (but no matrix product "
        "of Strassen's kind in the BLAS), and values of exp, log, pow, tanh and sinh within 4 units in the last "
        "place, which is checked against 60 digits.",
        ("qpkernels/kernels/test_enclosed.py::test_elementary_functions_are_as_exact_as_is_assumed",),
    ),
    Claim(
        "**Portable proofs.** `proofcheck` checks a file with a problem, an answer and an interval in exact "
        "arithmetic, and none of the code of this library has a part in it. [A page](../proofs.md) lists what "
        "still has to be believed then.",
        (
            "proofs/test_bad_files.py::test_the_checker_alone_is_enough",
            "proofs/test_mutations.py::test_whatever_is_still_called_proved_is_true",
        ),
    ),
    Claim(
        "**This code.** A certificate is a few hundred lines. They are tested against rational arithmetic, closed "
        "forms and other software, and by the attacks below. A wrong `optimal` is the worst bug that this library "
        "can have: please report it.",
        ("contracts/test_attack.py::test_attacks",),
    ),
)
"""The limits of the proofs."""


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
