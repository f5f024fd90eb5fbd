# SPDX-License-Identifier: BSD-3-Clause
"""Measure exported programs, and hold them to what is proved of them: python -m benchmarks.deploying. Some minutes.

A machine of 1,000 support vectors and 30 features is exported as C, ONNX and JSON. The C is timed beside a loop that is
written by hand and compiled with the same flags, both beside predict, sample by sample, in turns, in seconds that the
processor worked; the least of the turns counts. Then decision values and labels of a million samples are held against
those of predict, and the differences against the bounds. It needs cc, and onnxruntime. The record is
docs/performance/deploying.md, which docs/use/deploying.md includes.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import onnxruntime
from sklearn.datasets import make_classification

from benchmarks.computer import Setting, Watch, this_computer
from benchmarks.pages import FOOTNOTE, mark, table
from formulations import ExportedMachine, export
from formulations.estimators import SVC
from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import in_this_thread, without_blas_threads

__all__ = ["main"]

FEATURES = 30
FLAGS = ("-std=c99", "-O3", "-march=native")
_PART = 10_000
"""Samples at a time."""

_HARNESS = """
#include "machine.c"

/* The loop that one writes by hand. */
static double by_hand(const double *x)
{{
    double sum = {intercept};
    for (int j = 0; j < {n}; ++j) {{
        const double *z = machine_centers_0[j];
        double squares = 0.0;
        for (int k = 0; k < {d}; ++k) {{
            double t = x[k] - z[k];
            squares += t * t;
        }}
        sum += machine_coefficients_0[j] * exp(-{gamma} * squares);
    }}
    return sum;
}}

void all_by_hand(const double *X, int count, double *values, int *numbers)
{{
    for (int i = 0; i < count; ++i) {{
        values[i] = by_hand(X + i * {d});
        numbers[i] = values[i] > 0.0;
    }}
}}

void all_exported(const double *X, int count, double *values, int *numbers)
{{
    for (int i = 0; i < count; ++i) {{
        machine_decision(X + i * {d}, values + i);
        numbers[i] = values[i] > machine_thresholds[0];
    }}
}}

void all_predicted(const double *X, int count, double *values, int *numbers)
{{
    (void)values;
    for (int i = 0; i < count; ++i) numbers[i] = machine_predict(X + i * {d});
}}
"""


@dataclass(frozen=True)
class _Held:
    """A program held against predict: the largest difference, bound, and share of it, and labels."""

    name: str
    difference: float
    bound: float
    share: float
    certain: int
    same: int
    contradicted: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deploying", description=__doc__)
    parser.add_argument("--samples", type=int, default=10**6)
    parser.add_argument("--centers", type=int, default=1000, help="support vectors")
    parser.add_argument("--turns", type=int, default=25)
    parser.add_argument("--out", type=Path, default=Path("docs/performance"))
    asked = parser.parse_args(arguments)
    watch = Watch(this_computer())
    X, y = make_classification(asked.centers + 200, FEATURES, n_informative=10, flip_y=0.2, random_state=0)
    rows = np.concatenate([np.flatnonzero(y == label)[: asked.centers // 2] for label in (0, 1)])
    X, y = X[rows], y[rows]
    # With so small a cost every sample is a support vector.
    classifier = SVC(C=0.02, gamma=1.0 / FEATURES, tol=1e-6).fit(X, y)
    with TemporaryDirectory() as name, in_this_thread(), without_blas_threads():
        folder = Path(name)
        programs = [export(classifier, folder / f"machine{suffix}") for suffix in (".c", ".onnx", ".json")]
        library, session = _compiled(folder, programs[0]), _session(programs[1])
        times = dict(_timed(classifier, library, session, X, asked.turns))
        sizes = {each.path.suffix: each.path.stat().st_size for each in programs}
        held = list(_held(classifier, programs, library, session, X, asked.samples))
    lines = _page(len(classifier.support_), times, sizes, held, asked, watch.setting())
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "deploying.md").write_text("\n".join(lines), encoding="utf-8")


def _compiled(folder: Path, program: ExportedMachine) -> Any:
    (term,) = program.table.terms
    n, d = term.centers.shape
    gamma, b = float(getattr(term.kernel, "gamma")).hex(), float(program.table.intercepts[0]).hex()  # noqa: B009
    (folder / "harness.c").write_text(_HARNESS.format(n=n, d=d, gamma=gamma, intercept=b), encoding="utf-8")
    made = folder / "harness.so"
    subprocess.run(["cc", *FLAGS, "-shared", "-fPIC", str(folder / "harness.c"), "-o", str(made), "-lm"], check=True)
    return ctypes.CDLL(str(made))


def _session(program: ExportedMachine) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(program.path), options, providers=["CPUExecutionProvider"])


def _by_c(function: Any, X: Matrix) -> tuple[Vector, Any]:
    """Return the values and the numbers of the labels."""
    values, numbers = np.zeros(len(X)), np.zeros(len(X), dtype=np.intc)
    doubles, whole = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)
    function(X.ctypes.data_as(doubles), len(X), values.ctypes.data_as(doubles), numbers.ctypes.data_as(whole))
    return values, numbers


def _timed(classifier: Any, library: Any, session: Any, X: Matrix, turns: int) -> Iterator[tuple[str, float]]:
    """Yield the least seconds of one sample by every way: alone, and as one of a thousand."""
    some = X[:200].copy()
    single = X[:1].astype(np.float32)
    ways: dict[str, tuple[Callable[[], Any], int]] = {
        "exported": (lambda: _by_c(library.all_predicted, some), len(some)),
        "by hand": (lambda: _by_c(library.all_by_hand, some), len(some)),
        "ONNX": (lambda: [session.run(None, {"X": single}) for _ in range(20)], 20),
        "ONNX, many": (lambda: session.run(None, {"X": X.astype(np.float32)}), len(X)),
        "predict": (lambda: [classifier.predict(X[:1]) for _ in range(20)], 20),
        "predict, many": (lambda: classifier.predict(X), len(X)),
    }
    least = dict.fromkeys(ways, np.inf)
    for _ in range(turns):
        for name, (way, count) in ways.items():
            begun = process_time()
            way()
            least[name] = min(least[name], (process_time() - begun) / count)
    yield from least.items()


def _held(
    classifier: Any, programs: Sequence[ExportedMachine], library: Any, session: Any, X: Matrix, samples: int
) -> Iterator[_Held]:
    """Yield what samples on the lines between those of the fit show of each program."""
    ways: dict[str, tuple[ExportedMachine, Callable[[Matrix], tuple[Vector, Any]]]] = {
        "C": (programs[0], lambda part: _by_c(library.all_exported, part)),
        "ONNX": (programs[1], lambda part: _by_graph(session, part)),
    }
    for name, (program, way) in ways.items():
        generator, found = np.random.default_rng(0), _Held(name, 0.0, 0.0, 0.0, 0, 0, 0)
        for begin in range(0, samples, _PART):
            count = min(_PART, samples - begin)
            first, second = X[generator.integers(0, len(X), (2, count))]
            share = generator.random((count, 1))
            part = share * first + (1.0 - share) * second
            values, labels = way(part)
            expected, checked = program.predictor.values(part)[:, 0], program.check(part)
            same, certain = labels == classifier.predict(part), checked.certain
            assert certain is not None
            difference = np.abs(values - expected)
            found = _Held(
                name,
                max(found.difference, float(difference.max())),
                max(found.bound, checked.largest),
                max(found.share, float((difference / checked.bounds[:, 0]).max())),
                found.certain + int(certain.sum()),
                found.same + int(same.sum()),
                found.contradicted + int((certain & ~same).sum()),
            )
        print(found, flush=True)
        if found.share > 1.0 or found.contradicted:
            raise AssertionError(f"{name} is not what is proved of it: {found}")
        yield found


def _by_graph(session: Any, X: Matrix) -> tuple[Vector, Any]:
    parts = [
        session.run(["decision_values", "label"], {"X": part.astype(np.float32)}) for part in np.array_split(X, 50)
    ]
    values, labels = (np.concatenate(each) for each in zip(*parts, strict=True))
    return values[:, 0].astype(np.float64), labels


def _page(
    centers: int, times: dict[str, float], sizes: dict[str, int], held: Sequence[_Held], asked: Any, where: Setting
) -> Iterator[str]:
    """Yield the record: sizes and times, and what a million samples show."""
    yield f"""# Exported programs, measured

Written by `python -m benchmarks.deploying`.

<!-- measured -->

The machine has {centers:,} support vectors, {FEATURES} features and a Gaussian kernel. Times are those of one sample,
in seconds that one processor worked, the least of {asked.turns} turns; {where.computer.processor}, on \
{where.day}{mark(where.others)}, Python {where.computer.python}, NumPy {where.computer.numpy}, onnxruntime \
{onnxruntime.__version__}, `cc {" ".join(FLAGS)}`.
"""
    alone = "one sample alone"
    rows = [
        ["exported C", _size(sizes[".c"]), _micro(times["exported"]), _micro(times["exported"])],
        ["a loop in C, written by hand", "", _micro(times["by hand"]), _micro(times["by hand"])],
        ["ONNX, by onnxruntime", _size(sizes[".onnx"]), _micro(times["ONNX"]), _micro(times["ONNX, many"])],
        ["JSON", _size(sizes[".json"]), "", ""],
        ["`predict` in Python", "", _micro(times["predict"]), _micro(times["predict, many"])],
    ]
    yield table(("program", "file", alone, f"one of {centers:,}"), rows)
    ratio = times["exported"] / times["by hand"]
    yield f"""The exported C takes {ratio:.2f} times as long as the loop that is written by hand.

At {asked.samples:,} samples, on the lines between those of the fit, the programs and the proofs were held against
`predict`. No difference was larger than its bound, and no label that is proved to be the same was another one:
"""
    heads = ("program", "largest difference", "largest bound", "labels proved the same", "labels the same")
    rows = [[e.name, f"{e.difference:.1e}", f"{e.bound:.1e}", f"{e.certain:,}", f"{e.same:,}"] for e in held]
    yield table(heads, rows)
    if mark(where.others):
        yield FOOTNOTE
    yield "<!-- end of measured -->\n"


def _micro(seconds: float) -> str:
    return f"{1e6 * seconds:.3g} µs"


def _size(count: int) -> str:
    return f"{count / 1000:.0f} kB"


if __name__ == "__main__":
    main()
