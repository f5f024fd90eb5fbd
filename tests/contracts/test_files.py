# SPDX-License-Identifier: BSD-3-Clause
"""Files are written beside the old ones and take their places; what is no regular file is not read."""

from __future__ import annotations

import ast
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import formulations
import qpkernels
from formulations import OneVersusOne, SoftMargin, SoftTube, cross_validate, load
from formulations.commands.machines_in_files import read_machine
from formulations.commands.output import write_json, write_picture
from formulations.judging import audit
from formulations.plots import DecisionRegionDisplay
from qpkernels import RBF
from qpkernels.arrays.files import load_arrays, replacing
from qpkernels.errors import FileFormatError
from qpkernels.files import (
    FORMATS,
    Scaling,
    load_dataset,
    read,
    read_liblinear_model,
    read_libsvm_kernel,
    read_libsvm_machines,
    read_libsvm_model,
    read_libsvm_range,
    write_libsvm_kernel,
    write_libsvm_machines,
    write_libsvm_model,
    write_libsvm_range,
)
from qpkernels.gram.functions import Expansion
from together import together

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0], [8.0, 1.0], [9.0, 0.0]]), np.array([1, 1, 2, 2, 3, 3])
MODEL = SoftMargin(X, np.where(Y > 1, 1, -1), RBF(0.1), C=1.0)
SOLUTION = MODEL.solve()
SEVERAL = OneVersusOne(X, Y, C=1.0).solve(progress=False)


class _Silent:
    """A console of which nothing is read."""

    def print(self, *_: object, **__: object) -> None:
        """Print nothing."""


def _picture(path: Path) -> None:
    write_picture(DecisionRegionDisplay.from_solution(SOLUTION, MODEL), path, "a picture", _Silent())  # type: ignore[arg-type]


def _several(path: Path) -> None:
    write_libsvm_machines(SEVERAL.predictor.functions, SEVERAL.classes, SEVERAL.pairs, path)


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    **{f"export {suffix}": (suffix, MODEL.dual.export) for suffix in FORMATS},
    "save": (".npz", SOLUTION.save),
    "save of several": (".npz", SEVERAL.save),
    "save of a function": (".npz", SOLUTION.function.save),
    "libsvm model": ("", lambda path: write_libsvm_model(SOLUTION.function, path)),
    "libsvm machines": ("", _several),
    "libsvm kernel": ("", lambda path: write_libsvm_kernel(MODEL.gram.dense, MODEL.y, path)),
    "libsvm range": ("", lambda path: write_libsvm_range(Scaling.to_range(X), path)),
    "json": (".json", lambda path: write_json({"numbers": list(range(100))}, str(path))),
    "picture": (".png", _picture),
}


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow beyond 20 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_leaves_the_old_file(writer: str, tmp_path: Path) -> None:
    suffix, wrote = WRITERS[writer]
    path = tmp_path / f"file{suffix}"
    wrote(path)
    size = path.stat().st_size
    assert size > 20
    path.write_bytes(b"old")
    with full_disk(), pytest.raises(OSError, match="too large"):
        wrote(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_a_file_keeps_its_permissions_and_a_link_its_place(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with replacing(link, "ascii") as file:
        file.write("new\n")
        assert target.read_text() == "old"
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_what_fails_on_its_way_writes_nothing(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise KeyError("other half")

    with pytest.raises(KeyError):
        fail(tmp_path / "new")
    assert os.listdir(tmp_path) == []


def test_devices_are_written_to_and_not_replaced() -> None:
    with replacing(Path("/dev/null")) as file:
        file.write(b"nothing")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="No space left"):
        write_json({"numbers": list(range(10_000))}, "/dev/full")


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    **{f"read {suffix}": (suffix, read) for suffix in FORMATS},
    **{f"load_dataset {suffix}": (suffix, load_dataset) for suffix in ("", ".csv", ".csv.gz", ".gz", ".npz")},
    "load": (".npz", load),
    "load_arrays": (".npz", lambda path: load_arrays(path, "arrays")),
    "Expansion.load": (".npz", Expansion.load),
    "libsvm model": ("", read_libsvm_model),
    "libsvm machines": ("", read_libsvm_machines),
    "libsvm kernel": ("", read_libsvm_kernel),
    "libsvm range": ("", read_libsvm_range),
    "liblinear model": ("", read_liblinear_model),
    "read_machine": ("", lambda path: read_machine(path, scaled=False)),
    "audit": ("", lambda path: audit(path, X, Y)),
    "store": ("", lambda path: cross_validate(SoftTube(X, Y, C=1.0), folds=2, store=path)),
    "checkpoint": (".npz", lambda path: MODEL.solve("smo", checkpoint=path)),
}


@pytest.mark.parametrize("reader", READERS)
@together("device", ["/dev/full", "/dev/zero", "pipe"])
def test_what_is_no_file_is_not_read(reader: str, device: str, tmp_path: Path) -> None:
    suffix, reads = READERS[reader]
    path = tmp_path / f"{Path(device).name}{suffix}"
    if device == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    with pytest.raises(FileFormatError, match=r"must be a regular file, but it is a device or a pipe|there is no file"):
        reads(path)


def _called(node: ast.AST) -> Iterator[tuple[int, str, list[Any]]]:
    """Yield the line, the name and the constants among the arguments of each call."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute | ast.Name):
            name = each.func.attr if isinstance(each.func, ast.Attribute) else each.func.id
            given = [*each.args, *(keyword.value for keyword in each.keywords)]
            yield each.lineno, name, [value.value for value in given if isinstance(value, ast.Constant)]


def test_every_writer_writes_beside_the_old_file() -> None:
    """No module opens a file to be written but through ``replacing``.

    Apart from it are the marks of machine code, which many processes may leave at once, and results of a
    search, which are added to their file.
    """
    in_place = []
    for package in (qpkernels, formulations):
        folder = Path(package.__file__ or "").parent
        for source in folder.rglob("*.py"):
            for line, name, given in _called(ast.parse(source.read_text(encoding="utf-8"))):
                opens = name == "open" and any(isinstance(mode, str) and set("wxa+") & set(mode) for mode in given)
                if opens or name in ("write_text", "write_bytes", "tofile", "to_csv"):
                    in_place.append(f"{source.relative_to(folder.parent)}:{line}")
    # The last is Linux's, for the priority of a session.
    expected = [
        *["formulations/selection/fits.py"] * 2,
        "qpkernels/arrays/machine_code.py",
        "qpkernels/families/kits.py",
    ]
    assert sorted(place.partition(":")[0] for place in in_place) == expected, in_place
