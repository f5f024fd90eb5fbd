# SPDX-License-Identifier: BSD-3-Clause
"""What the examples share: a picture in our style, in the folder that the command line names."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

from formulations.displays.style import style

DPI, TONES = 100, 40
"""Dots in an inch, and colours of a file: pictures of a few ten kB."""


@contextmanager
def picture(
    path: Path, columns: int = 1, rows: int = 1, *, width: float = 4.6, height: float = 4.2, **options: Any
) -> Iterator[Any]:
    """Give axes in one flat array, each of that size in inches, and save the picture when they are drawn."""
    with style():
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        yield figure.subplots(rows, columns, squeeze=False, **options).ravel()
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = BytesIO()
        figure.savefig(drawn, dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    # Each tone is the mean of the colours that it stands for: those of large areas and of marks stay as they are.
    image.quantize(TONES, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)


def run(main: Callable[[Path], None]) -> None:
    """Run an example with the folder that the command line names, or pictures/ beside it."""
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
