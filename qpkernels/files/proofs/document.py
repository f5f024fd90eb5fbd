# SPDX-License-Identifier: BSD-3-Clause
"""The document of a proof: its statement, answer and claim, as JSON that loses nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from pathlib import Path
from typing import Any, Protocol

import proofcheck
from qpkernels.arrays.exact_text import exact_text
from qpkernels.arrays.files import check_path, replacing
from qpkernels.errors import NoProofError, SolverFailedError

__all__ = ["Bundle", "Document", "Proof", "best_proof", "downward", "upward"]

FORMAT = "kernel-machine-proof 1"

JSON = Mapping[str, Any]
"""An object of JSON as the page of the format describes it."""


def downward(value: Fraction) -> float:
    """Return the largest float that is at most a rational number."""
    try:
        nearest = float(value)
    except OverflowError:
        return -inf if value < 0 else nextafter(inf, 0.0)
    return nextafter(nearest, -inf) if Fraction(nearest) > value else nearest


def upward(value: Fraction) -> float:
    """Return the smallest float that is at least a rational number."""
    return -downward(-value)


class Document(Protocol):
    """What a file of a proof may hold: one proof, or several."""

    def as_json(self) -> JSON:
        """Return the document."""


def write_document(document: Document, path: str | Path) -> Path:
    """Write a document, compressed where the name of the file ends with ``.gz``, and return its path.

    Raises
    ------
    NoProofError
        If it is larger than what ``proofcheck`` reads.
    """
    target = check_path(path)
    raw = (json.dumps(document.as_json(), ensure_ascii=True, indent=None, separators=(",", ":")) + "\n").encode()
    if len(raw) >= proofcheck.MOST_BYTES:
        raise NoProofError(
            f"{target} would hold {len(raw) >> 20} MiB, and proofcheck reads less than {proofcheck.MOST_BYTES >> 20} "
            "MiB; prove a machine of fewer samples or features."
        )
    with replacing(target) as file:
        # No time of writing: the same proof is the same file.
        file.write(gzip.compress(raw, mtime=0) if target.suffix == ".gz" else raw)
    return target


@dataclass(frozen=True, eq=False)
class Proof:
    """A claim about one problem, with all that a checker needs, and nothing of this package.

    The claim is an interval that holds the optimal value, or that the problem has no solution. ``proofcheck`` computes
    it anew from the file in integers, with the standard library of Python alone.

    Attributes
    ----------
    words
        The problem as its users write it. No checker reads it.
    statement, answer, claim
        The problem in numbers, the points that prove the claim, and the claim, as JSON objects: see the page of the
        format.

    Notes
    -----
    Arguments of the methods:

    path
        Where to, a name that ends with ``.gz`` to compress; a file that is there is replaced.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> proof = model.prove(model.solve(tol=1e-12))
    >>> print(proof.digits >= 9, f"{proof.lower:.6f}", proof.check()[-1].split(":")[0][:6])
    True 2.888889 PROVED
    """

    words: str
    statement: JSON
    answer: JSON
    claim: JSON

    @classmethod
    def of_interval(cls, words: str, statement: JSON, answer: JSON, ends: tuple[float, float] | None = None) -> Proof:
        """Return the proof of the interval that the answer gives, as narrow as float64 allows.

        Parameters
        ----------
        words, statement, answer
            The attributes.
        ends
            The ends, where they are known already; they are computed as the checker does if left out.

        Raises
        ------
        NoProofError
            If the answer proves nothing.
        """
        if ends is None:
            computed = {"kernel-qp": proofcheck.kernel_qp, "cone-program": proofcheck.cone_program}
            try:
                lower, upper = computed[statement["problem"]](statement, answer, {"kind": "interval"}, [])
            except proofcheck.FailedError as error:
                raise NoProofError(f"the answer proves no interval: {error}.") from None
            ends = downward(lower), upward(upper)
        return cls(words, statement, answer, interval_claim(*ends))

    @cached_property
    def is_interval(self) -> bool:
        """Whether an interval is claimed, and not that there is no solution."""
        return bool(self.claim["kind"] == "interval")

    @property
    def lower(self) -> float:
        """The lower end of the interval; inf where the problem has no solution."""
        return float.fromhex(self.claim["lower"]) if self.is_interval else inf

    @property
    def upper(self) -> float:
        """The upper end of the interval; inf where the problem has no solution."""
        return float.fromhex(self.claim["upper"]) if self.is_interval else inf

    @property
    def digits(self) -> int:
        """The number of digits of the optimal value that the interval determines, as the checker counts them."""
        if not self.is_interval:
            return 0
        width, size = Fraction(self.upper) - Fraction(self.lower), max(abs(self.lower), abs(self.upper))
        return 17 if width == 0 else min(17, len(str(int(Fraction(size) / width))) - 1)

    @property
    def digest(self) -> str:
        """The SHA-256 of the statement in its shortest form with sorted keys."""
        text = json.dumps(self.statement, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def claiming(self, **more: Any) -> Proof:
        """Return the proof with more in its claim, such as predictions.

        Parameters
        ----------
        **more
            Entries of the claim, as objects of JSON.
        """
        return replace(self, claim={**self.claim, **more})

    def as_json(self) -> JSON:
        """Return the document: format, words, digest, statement, answer and claim."""
        return {
            "format": FORMAT,
            "words": self.words,
            "sha256": self.digest,
            "statement": self.statement,
            "answer": self.answer,
            "claim": self.claim,
        }

    def write(self, path: str | Path) -> Path:
        """Write the proof to a file."""
        return write_document(self, path)

    def check(self) -> list[str]:
        """Check the proof as ``proofcheck`` does, and return what that prints.

        Raises
        ------
        NoProofError
            If the claim does not hold.
        """
        try:
            return proofcheck.verify(json.dumps(self.as_json()).encode(), Path())
        except proofcheck.FailedError as error:
            raise NoProofError(f"the claim does not hold: {error}.") from None


@dataclass(frozen=True, eq=False)
class Bundle:
    """Several proofs in one file, such as those of the machines of each pair of classes.

    Attributes
    ----------
    proofs
        The proofs in their order.
    """

    proofs: Sequence[Proof]

    @property
    def digits(self) -> int:
        """The least number of digits of its proofs."""
        return min(proof.digits for proof in self.proofs)

    def as_json(self) -> JSON:
        """Return the document."""
        return {"format": FORMAT, "bundle": [proof.as_json() for proof in self.proofs]}

    def write(self, path: str | Path) -> Path:
        """Write the proofs to a file.

        Parameters
        ----------
        path
            Where to, a name that ends with ``.gz`` to compress; a file that is there is replaced.
        """
        return write_document(self, path)

    def check(self) -> list[str]:
        """Check all proofs as ``proofcheck`` does, and return what that prints."""
        return [line for proof in self.proofs for line in proof.check()]


def best_proof(
    attempts: Iterable[Callable[[], Proof]],
    digits: float = inf,
    otherwise: str = "no solver finds an answer that is close enough to be proved.",
) -> Proof:
    """Return the narrowest proof, from attempts that go on until one determines so many digits of the optimum.

    Raises
    ------
    NoProofError
        If none of them proves anything: the last reason, or ``otherwise`` if none gave one.
    """
    best, reason = None, NoProofError(otherwise)
    for attempt in attempts:
        try:
            proof = attempt()
        except NoProofError as error:
            reason = error
            continue
        except SolverFailedError:
            continue
        if best is None or proof.upper - proof.lower < best.upper - best.lower:
            best = proof
        if best.digits >= digits:
            break
    if best is None:
        raise reason
    return best


def interval_claim(lower: float, upper: float) -> JSON:
    """Return the claim that an interval holds the optimum."""
    return {"kind": "interval", "lower": exact_text(lower), "upper": exact_text(upper)}
