# SPDX-License-Identifier: BSD-3-Clause
"""The code in the documentation runs as it is printed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(python_blocks("README.md")), "README.md", "exec"), {})


def test_the_kernel_of_the_contributing_guide_is_a_kernel() -> None:
    import numpy as np

    (source,) = (block for block in python_blocks("CONTRIBUTING.md") if "Kernel)" in block)
    names: dict[str, object] = {"__name__": "guide"}
    exec(compile(source, "CONTRIBUTING.md", "exec", dont_inherit=True), names)
    kernel = names["Laplacian"](0.5)  # type: ignore[operator]
    X = np.random.default_rng(0).normal(size=(12, 3))
    assert np.linalg.eigvalsh(kernel(X)).min() > -1e-12
    assert np.allclose((2 * kernel + kernel**2)(X), 2 * kernel(X) + kernel(X) ** 2)


def test_code_on_a_page_is_at_most_88_columns_wide() -> None:
    pages = [
        path for path in (ROOT / "docs").rglob("*.md") if {"_build", "generated", "gallery"}.isdisjoint(path.parts)
    ]
    wide = []
    for page in (ROOT / "README.md", *pages):
        for cell in re.findall(r"^```(?:python|\{code-cell\} python)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            if not re.match(r":tags: \[(?:remove|hide)-cell\]", cell):
                wide += [f"{page.name}: {line}" for line in cell.split("\n") if len(line) > 88 and line[0] != ":"]
    assert wide == []


def test_the_page_of_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "notebook"}
    exec(compile("\n".join(python_blocks("docs/lab-notebook.md")), "lab-notebook.md", "exec", dont_inherit=True), names)
    assert capsys.readouterr().out.startswith("optimal ")
    assert 0 < len(names["support"]) < 60  # type: ignore[arg-type]
