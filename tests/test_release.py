# SPDX-License-Identifier: BSD-3-Clause
"""What stands in several files of a release is the same in all of them."""

import re
import sys
import tomllib
from pathlib import Path

import yaml

import qpkernels

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_has_the_version_and_the_places_of_the_project() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["version"] == qpkernels.__version__
    assert citation["repository-code"] == PROJECT["urls"]["Source"]
    assert citation["url"] == PROJECT["urls"]["Documentation"]
    assert citation["license"] == PROJECT["license"]


def test_every_file_names_the_same_places() -> None:
    """Whoever moves the project finds what is left over."""
    files = ("pyproject.toml", "recipe/recipe.yaml", "docs/stability.md", "CITATION.cff", "README.md")
    found = {place for name in files for place in re.findall(r"https://git[\w./]*/qpkernels", read(name))}
    assert found == {PROJECT["urls"]["Source"]}


def test_the_tested_pythons_are_those_that_are_promised() -> None:
    promised = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if " :: Python :: 3." in line]
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    (quoted,) = re.findall(r"^PYTHONS = \[OLDEST, (.*)\]$", read("noxfile.py"), flags=re.MULTILINE)
    assert [f'"{version}"' for version in promised[1:]] == quoted.split(", ")
    assert f"{promised[0]} to {promised[-1]}" in read("docs/stability.md")


def test_every_extra_of_users_is_tried_alone() -> None:
    extras = PROJECT["optional-dependencies"].keys() - {"test", "docs", "dev"}
    assert extras == {path.stem for path in (ROOT / "tests" / "release" / "extras").glob("*.py")}


def test_the_figures_of_the_paper_are_those_of_the_records() -> None:
    sys.path.append(str(ROOT / "docs"))
    from extensions.headline import figures

    found, paper = figures(), " ".join(read("paper/paper.md").split())
    assert f"{found['svc_fits']} fits of `SVC`" in paper
    assert f"a median of {found['svc_median']} times" in paper
    assert f"slower in {found['svc_slower']} of them" in paper
    assert f"Of {found['drawn']} random problems" in paper
    assert f"proved {found['drawn_proved']} to" in paper


def test_every_source_of_the_paper_is_cited_and_every_citation_has_one() -> None:
    sources = re.findall(r"^@\w+\{(\w+),$", read("paper/paper.bib"), flags=re.MULTILINE)
    assert sorted(sources) == sorted(set(re.findall(r"@(\w+\d{4})", read("paper/paper.md"))))
