# SPDX-License-Identifier: BSD-3-Clause
"""The commands prove and verify: the file between them, what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import expected, refused, run, run_json


@pytest.fixture
def proof(libsvm: Path, tmp_path: Path) -> Path:
    path = tmp_path / "machine.proof"
    run_json("prove", libsvm, "--standardise", "--at", libsvm, "-o", path)
    return path


def test_the_optimum_of_the_file_is_proved(libsvm: Path, tmp_path: Path) -> None:
    (record,) = run_json("prove", libsvm, "-o", tmp_path / "machine.proof.gz")["proofs"]
    assert record["digits"] >= 9
    assert (record["lower"], record["upper"]) == pytest.approx((expected(), expected()), rel=1e-9)


def test_several_classes_are_a_proof_for_each_pair(tmp_path: Path) -> None:
    path = tmp_path / "iris.proof"
    run_json("prove", "iris", "-o", path)
    assert run("verify", path).stdout.count("PROVED to ") == 3


def test_verify_says_what_proofcheck_says(proof: Path) -> None:
    lines = run("verify", proof).stdout.splitlines()
    assert lines[-1].startswith("PROVED to ")
    assert "of 24 points" in lines[-2]
    assert run_json("verify", proof) == {"file": str(proof), "proved": True, "lines": lines}


def test_a_claim_that_is_false_ends_with_3(proof: Path) -> None:
    said = json.loads(proof.read_text())
    said["claim"]["lower"] = said["claim"]["upper"] = "0x1p+9"
    proof.write_text(json.dumps(said))
    assert refused("verify", proof, status=3).startswith("NOT PROVED: the lower end is")


def test_a_file_that_is_no_proof_ends_with_2(libsvm: Path) -> None:
    assert "cannot be read" in refused("verify", libsvm)


def test_a_loss_that_proofs_have_no_words_for_ends_with_3(libsvm: Path, tmp_path: Path) -> None:
    message = refused("prove", libsvm, "--model", "logistic", "-o", tmp_path / "machine.proof", status=3)
    assert message.startswith("NoProofError: Logistic")
    assert not (tmp_path / "machine.proof").exists()
