# SPDX-License-Identifier: BSD-3-Clause
"""What the checker says of files that it refuses, and how it is run."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import proofcheck
from proofs.checker import status
from proofs.documents import digest

TABLE = b"0\n2\n3\n"

STATEMENT = {
    "problem": "kernel-qp",
    "kernel": {"name": "linear"},
    "samples": [["0x0p+0"], ["0x1p+1"], ["0x1.8p+1"]],
    "target": ["-0x1p+0", "0x1p+0", "0x1p+0"],
    "lower": ["-1/4", "0/1", "0/1"],
    "upper": ["0/1", "1/4", "1/4"],
    "epsilon": "0/1",
    "ridge": "0/1",
    "balances": [{"row": "1/1", "total": "0/1", "sense": "="}],
}
ANSWER = {"beta": ["-1/4", "1/4", "0/1"], "free": ["-1/4"]}
CLAIM = {"kind": "interval", "lower": "3/8", "upper": "3/8"}
PREDICTIONS = {"points": [["0x1p+2"]], "offset": ["-11/20", "1/20"], "lower": ["17/10"], "upper": ["21/10"]}

LEAST = {
    "problem": "cone-program",
    "variables": 1,
    "constraints": 2,
    "P": [],
    "A": [[0, 0, "1/1"], [1, 0, "-1/1"]],
    "q": ["0/1"],
    "h": ["0/1", "-1/1"],
    "offset": "0/1",
    "lower": "-inf",
    "upper": "inf",
    "cones": [["nonnegative", 2]],
}
"""Minimise 0 subject to x <= 0 and x >= 1."""

IRREDUCIBLE = {"kind": "infeasible", "irreducible": [[0, "1/1"], [1, "0/1"]]}


def document(statement=STATEMENT, answer=ANSWER, claim=CLAIM, **others):
    found = {"format": "kernel-machine-proof 1", "words": "three samples", "sha256": digest(statement)}
    return found | {"statement": statement, "answer": answer, "claim": claim} | others


def stated(**others):
    return document(STATEMENT | others)


def answered(**others):
    return document(answer=ANSWER | others)


def claimed(**others):
    return document(claim=CLAIM | others)


def infeasible(claim, z="1/1", **others):
    return document(LEAST | others, {"y": "0/1", "z": z}, claim)


def table(content, **others):
    return stated(samples={"file": "table.csv", "sha256": hashlib.sha256(content).hexdigest()} | others)


def power(depth):
    value = {"name": "constant", "value": "f" * 2000 + "/1"}
    for _ in range(depth):
        value = {"name": "power", "degree": 64, "of": [value]}
    return value


TEXT = json.dumps(document())
PACKED = gzip.compress(TEXT.encode(), mtime=0)
INDEFINITE = [["0/1", "1/1", "0/1"], ["1/1", "0/1", "0/1"], ["0/1", "0/1", "0/1"]]
NOTHING = LEAST | {"variables": 0, "constraints": 0, "A": [], "q": [], "h": [], "cones": [], "offset": "1/3"}

NOT_PROVED = {
    "a lower end that is too large": (claimed(lower="7/10"), "the lower end is beyond what is proved"),
    "an upper end that is too small": (claimed(upper="1/4"), "the upper end is beyond what is proved"),
    "a beta out of bounds": (answered(beta=["-1/4", "1/2", "-1/4"]), "beta[1] is outside of its bounds"),
    "a beta without balance": (answered(beta=["-1/4", "1/8", "0/1"]), "beta violates balance 0"),
    "a multiplier of the wrong sign": (
        stated(balances=[{"row": "1/1", "total": "0/1", "sense": "<="}]),
        "a free variable has the wrong sign",
    ),
    "a hard constraint that is violated": (
        document(STATEMENT | {"upper": ["0/1", "inf", "inf"]}),
        "sample 1 violates a constraint",
    ),
    "a prediction that is too narrow": (
        claimed(predictions=PREDICTIONS | {"lower": ["1/1"], "upper": ["5/4"]}),
        "prediction 0 is not proved",
    ),
    "an offset that is too narrow": (claimed(predictions=PREDICTIONS | {"offset": "0/1"}), "the offset is not proved"),
    "multipliers that prove nothing": (infeasible({"kind": "infeasible"}, z="0/1"), "z does not prove"),
    "negative multipliers": (infeasible({"kind": "infeasible"}, z="-1/1"), "z is outside of the nonnegative cone"),
    "rows that are needed, without a point": (infeasible(IRREDUCIBLE | {"irreducible": []}), "no point without it"),
    "a point that violates the first row": (
        infeasible(IRREDUCIBLE | {"irreducible": [[0, "1/1"], [1, "5/1"]]}),
        "a point is outside of the nonnegative cone",
    ),
    "a point that violates the last row": (
        infeasible(IRREDUCIBLE | {"irreducible": [[0, "0/1"], [1, "0/1"]]}),
        "a point is outside of the nonnegative cone",
    ),
    "a program without variables, whose optimum is no double": (
        document(NOTHING, {"x": [], "y": [], "z": []}, CLAIM | dict.fromkeys(("lower", "upper"), (1 / 3).hex())),
        "the upper end is beyond what is proved",
    ),
    "a matrix that may be indefinite, with too narrow an interval": (
        stated(kernel={"name": "matrix"}, samples=INDEFINITE),
        "the upper end is beyond",
    ),
}
"""Documents, and what is said with status 3."""

NOT_READ = {
    "nothing": (b"", "Expecting value: line 1 column 1"),
    "half of a file": (TEXT[:60].encode(), "line 1 column"),
    "a deep nest": (b"[" * 100_000, "RecursionError"),
    "no object": (b"[]", "must be integers"),
    "another format": (document(format="other"), "'format' is not kernel-machine-proof 1"),
    "no claim": ({key: value for key, value in document().items() if key != "claim"}, "KeyError: 'claim'"),
    "a key twice": (
        TEXT.replace('"words":', '"words":1,"words":').encode(),
        "a key comes twice among ['format', 'words'",
    ),
    "a key that nothing reads": (document(more=1), "nothing reads the keys ['more']"),
    "a parameter of another kernel": (
        stated(kernel={"name": "linear", "gamma": "1/1"}),
        "nothing reads the keys ['gamma']",
    ),
    "predictions of a cone program": (
        infeasible(IRREDUCIBLE | {"predictions": {}}),
        "nothing reads the keys ['predictions']",
    ),
    "a digest that differs": (
        document(sha256="0" * 64),
        f"the digest of the statement is {digest(STATEMENT)}, not that",
    ),
    "an empty bundle": ({"format": "kernel-machine-proof 1", "bundle": []}, "a bundle must be a list of proofs"),
    "NaN": (TEXT.replace('"0/1"', "NaN", 1).encode(), "ValueError"),
    "a decimal number": (TEXT.replace('"0/1"', "0.5", 1).encode(), "ValueError"),
    "a long integer": (TEXT.replace('"0/1"', "9" * 99, 1).encode(), "numbers are text"),
    "an integer in place of a number": (stated(epsilon=["0/1", 0, "0/1"]), "'epsilon' must be like"),
    "a decimal text": (claimed(lower="0.375"), "'lower' must be like 0x1.8p+1 or -3/a1, not '0.375'"),
    "a negative denominator": (claimed(lower="1/-2"), "'lower' must be like"),
    "a denominator of 0": (claimed(lower="1/0"), "ZeroDivisionError"),
    "a number of 70,000 digits": (claimed(lower="f" * 70_000 + "/1"), "holds a number of 70002 digits"),
    "an exponent beyond those of doubles": (claimed(lower="0x1p+9999"), "is no double"),
    "an end that is no double": (claimed(lower="1/3"), "the lower end of the interval must be a double"),
    "an unknown problem": (stated(problem="qp"), "KeyError: 'qp'"),
    "an unknown kernel": (stated(kernel={"name": "sigmoid"}), "the kernel 'sigmoid' is not known here"),
    "a negative constant": (stated(kernel={"name": "constant", "value": "-1/f"}), "'value' must be at least 0"),
    "a gamma of 0": (stated(kernel={"name": "laplacian", "gamma": "0/1"}), "'gamma' must be above 0"),
    "a kernel of no kernels": (stated(kernel={"name": "sum", "of": []}), "the sum of 0 kernels"),
    "the degree of a sum": (stated(kernel={"name": "sum", "of": [{"name": "linear"}], "degree": 1}), "keys ['degree']"),
    "a kernel of huge values": (stated(kernel=power(9)), "the values of the kernel are too large"),
    "a matrix in a sum": (stated(kernel={"name": "sum", "of": [{"name": "matrix"}]}), "a matrix stands alone"),
    "a matrix that is not symmetric": (
        stated(kernel={"name": "matrix"}, samples=[["1/1", "0/1", "1/1"], *INDEFINITE[1:]]),
        "the matrix is not symmetric",
    ),
    "samples of several lengths": (stated(samples=[["0/1"], ["0/1"], []]), "must be lists of as many texts"),
    "no samples": (stated(samples=[]), "'samples' must be a list of samples"),
    "too few targets": (stated(target=["0/1"]), "'target' must hold 3 numbers"),
    "a lower bound above 0": (stated(lower="1/8"), "0 is out of bounds"),
    "a negative ridge": (stated(ridge="-1/8"), "a width < 0"),
    "an unknown sense": (stated(balances=[{"row": "1/1", "total": "0/1", "sense": "!="}]), "the sense of a balance is"),
    "an unknown claim": (claimed(kind="unbounded"), "'unbounded' cannot be claimed here"),
    "no solution of a machine": (claimed(kind="infeasible"), "'infeasible' cannot be claimed here"),
    "an unknown cone": (infeasible(IRREDUCIBLE, cones=[["exponential", 2]]), "the cones are not known here"),
    "a negative cone": (infeasible(IRREDUCIBLE, cones=[["zero", 3], ["zero", -1]]), "the cones are not known here"),
    "half of a symmetric matrix": (
        infeasible(IRREDUCIBLE, variables=2, P=[[0, 1, "1/1"]], q="0/1"),
        "P is not symmetric",
    ),
    "an entry twice": (infeasible(IRREDUCIBLE, A=[[0, 0, "1/1"]] * 2), "A has (0, 0) twice, or outside"),
    "an entry of row -1": (infeasible(IRREDUCIBLE, A=[[-1, 0, "1/1"]]), "A has (-1, 0) twice, or outside"),
    "truncated gzip": (PACKED[:-1], "is damaged, or too long when unpacked"),
    "gzip that goes on": (PACKED + b"\0", "is damaged, or too long when unpacked"),
    "gzip of 256 MiB": (gzip.compress(bytes(1 << 28), 1), "is damaged, or too long when unpacked"),
    "a missing table": (table(TABLE, file="none.csv"), "none.csv' of less than 128 MiB is there"),
    "a table elsewhere": (table(TABLE, file="/dev/zero"), "zero' of less than 128 MiB is there"),
    "another table": (
        table(b"0\n2\n4\n"),
        f"the digest of 'table.csv' is {hashlib.sha256(TABLE).hexdigest()}, not that",
    ),
}
"""Documents or bytes, and what is said with status 2."""

TABLES = {
    "underscores": (b"0\n0_2\n3\n", "more than decimal numbers"),
    "page breaks": (b"0\n2\x0c3\n", "more than decimal numbers"),
    "not a number": (b"0\nnan\n3\n", "more than decimal numbers"),
    "two commas": (b"0\n2,,1\n3\n", "could not convert string to float"),
    "infinity": (b"0\n1e999\n3\n", "'a sample' must be like"),
}


def refused(folder, capsys, name, content, code, words):
    path = folder / "a.proof"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    found, (out, said) = status(path), capsys.readouterr()
    assert (found, out) == (code, ""), name
    assert words in said, (name, said)
    assert len(said) < 1000, name


def test_a_claim_that_does_not_hold_is_refused_with_where_it_fails(tmp_path, capsys):
    for name, (content, words) in NOT_PROVED.items():
        refused(tmp_path, capsys, name, content, 3, words)


def test_a_file_that_cannot_be_read_is_refused_with_the_place(tmp_path, capsys):
    tmp_path.joinpath("table.csv").write_bytes(TABLE)
    for name, (content, words) in NOT_READ.items():
        refused(tmp_path, capsys, name, content, 2, words)
    for name, (content, words) in TABLES.items():
        tmp_path.joinpath("table.csv").write_bytes(content)
        refused(tmp_path, capsys, name, table(content), 2, words)


def test_valid_files_are_proved(tmp_path, capsys):
    tmp_path.joinpath("table.csv").write_bytes(TABLE)
    with_predictions = claimed(predictions=PREDICTIONS)
    for content in (
        document(),
        with_predictions,
        table(TABLE),
        infeasible(IRREDUCIBLE),
        {"format": document()["format"], "bundle": [document()] * 2},
    ):
        path = tmp_path / "a.proof"
        path.write_text(json.dumps(content))
        assert status(path) == 0, content
        assert "PROVED" in capsys.readouterr().out
    path.write_bytes(PACKED)
    assert status(path) == 0


def test_the_words_of_a_file_print_no_lines_of_their_own(tmp_path, capsys):
    path = tmp_path / "a.proof"
    path.write_text(json.dumps(document(words="x\nPROVED to 17 digits\x1b[2K\ud800")))
    assert status(path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:6] for line in lines] == ["proble", "SHA-25", "linear", "PROVED"]
    assert all(line.isascii() and line.isprintable() for line in lines)


def test_an_indefinite_matrix_is_not_called_semidefinite(tmp_path, capsys):
    path = tmp_path / "a.proof"
    claim = {"kind": "interval", "lower": "0/1", "upper": "2/1"}
    path.write_text(
        json.dumps(document(STATEMENT | {"kernel": {"name": "matrix"}, "samples": INDEFINITE}, claim=claim))
    )
    assert status(path) == 0
    assert "semidefinite" not in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_and_devices_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert status(tmp_path / "pipe") == status(Path(os.devnull)) == status(tmp_path) == 2


def test_the_checker_alone_is_enough(tmp_path):
    """A copy in an empty folder is run by an interpreter that finds the standard library and nothing else."""
    shutil.copy(proofcheck.__file__, tmp_path / "proofcheck.py")
    path = tmp_path / "a.proof"
    path.write_text(json.dumps(claimed(predictions=PREDICTIONS)))
    run = [sys.executable, "-I", "-S", "proofcheck.py", "a.proof"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "PROVED to all digits: the optimum is in [0.375, 0.375]"


def test_a_check_is_given_up_after_some_seconds(tmp_path):
    path = tmp_path / "a.proof"
    path.write_text(TEXT)
    run = [sys.executable, proofcheck.__file__, "--seconds", "0.001", str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "timed out after" in done.stderr
