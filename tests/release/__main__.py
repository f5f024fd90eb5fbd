# SPDX-License-Identifier: BSD-3-Clause
"""Build what is published, and use it where there is no repository: python -m tests.release [--tag v0.1.0].

The wheel is made from the source distribution. It is installed into environments that hold nothing else, in a folder
outside the repository: there programs run the demo, a first use, a use of each extra, and mypy on code with types.
Everything lies in dist/ afterwards, with the recipe of conda-forge for exactly these files. uv makes the environments,
and brings the tools that only this needs.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Sequence
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import yaml

from tests.release.recipe import write_recipe

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DIST = ROOT / "dist"
UV = Path(sysconfig.get_path("scripts")) / "uv"

FOR_DEVELOPERS = {"test", "docs", "dev"}
"""Extras that a clone installs."""


class ReleaseError(Exception):
    """A release that should not go out, and why."""


def run(*command: str | Path, folder: Path = ROOT) -> str:
    """Run a program, and return what it prints. Nothing may go on compiling when its folder is gone."""
    words = [str(part) for part in command]
    settings = os.environ | {"QPKERNELS_COMPILE": "never", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(words, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def built() -> tuple[Path, Path]:
    """Return the source distribution and the wheel that is made of it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(UV, "build", "--out-dir", DIST)
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def metadata(wheel: Path) -> Message:
    """Return what the wheel says of itself."""
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def check_tag(tag: str, version: str) -> None:
    """Refuse a tag that the version, the changelog and the citation do not have, all of one day."""
    if tag != f"v{version}":
        raise ReleaseError(f"the tag of version {version} is v{version}, but it is {tag}.")
    heading = re.search(
        rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    if heading is None:
        raise ReleaseError(f"CHANGELOG.md has no heading '## {version} (year-month-day)'.")
    released = str(yaml.safe_load((ROOT / "CITATION.cff").read_text()).get("date-released"))
    if released != heading[1]:
        raise ReleaseError(
            f"CITATION.cff must have date-released: {heading[1]}, the day in CHANGELOG.md, but has {released}."
        )


def environment(folder: Path, python: str, *packages: str | Path) -> Path:
    """Make an environment that holds some packages, and return its Python."""
    run(UV, "venv", "--python", python, folder)
    program = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(UV, "pip", "install", "--python", program, *packages)
    return program


def main(arguments: Sequence[str]) -> None:
    """Do everything, and say how long each part took."""
    parser = argparse.ArgumentParser(prog="python -m tests.release", description=__doc__)
    parser.add_argument("--tag", help="the tag of the release, which version, changelog and citation must have")
    parser.add_argument("--python", default=sys.executable, help="the Python of the environments")
    options = parser.parse_args(arguments)
    start = last = time.monotonic()

    def say(done: str) -> None:
        nonlocal last
        now = time.monotonic()
        print(f"{now - last:6.1f} s  {done}", flush=True)
        last = now

    sdist, wheel = built()
    facts = metadata(wheel)
    say(f"built {sdist.name} and {wheel.name}")
    if options.tag:
        check_tag(options.tag, facts["Version"])
    run(UV, "tool", "run", "twine", "check", "--strict", sdist, wheel)
    say("twine check")
    run(UV, "tool", "run", "cffconvert", "--validate", "--infile", ROOT / "CITATION.cff")
    run(UV, "tool", "run", "cffconvert", "--format", "zenodo", "--infile", ROOT / "CITATION.cff")
    say("CITATION.cff is valid, and a DOI service can read it")
    recipe = write_recipe(facts, sdist)
    run(UV, "run", "--no-project", "--with", "py-rattler-build", "python", HERE / "rendered.py", recipe)
    say(f"{recipe.relative_to(ROOT)} is rendered by rattler-build")

    with tempfile.TemporaryDirectory() as name:
        outside = Path(name)
        python = environment(outside / "plain", options.python, wheel)
        say("installed into an empty environment")
        run(python, "-I", HERE / "used.py", folder=outside)
        say("used.py: a first use")
        run(python.with_name("proofcheck"), "machine.proof", folder=outside)
        with tarfile.open(sdist) as archive:
            archive.extract(f"{sdist.name.removesuffix('.tar.gz')}/proofcheck.py", outside, filter="data")
        (alone,) = outside.glob("*/proofcheck.py")
        run(sys.executable, "-I", alone, "machine.proof", folder=outside)
        say("proofcheck, installed and alone, of the proof that used.py wrote")
        run(python.with_name("qpkernels"), "compare", "breast-cancer", "--scale", folder=outside)
        say("the demo, qpkernels compare breast-cancer --scale")
        run(UV, "pip", "install", "--python", python, "mypy")
        run(python, "-I", "-m", "mypy", "--strict", HERE / "typed.py", folder=outside)
        say("mypy sees the types")
        for extra in sorted(set(facts.get_all("Provides-Extra", [])) - FOR_DEVELOPERS):
            python = environment(outside / extra, options.python, f"{wheel}[{extra}]")
            run(python, "-I", HERE / "extras" / f"{extra}.py", folder=outside)
            say(f"the extra {extra} is installed alone, and used")
    print(f"{time.monotonic() - start:6.1f} s  in all")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ReleaseError as refusal:
        sys.exit(str(refusal))
