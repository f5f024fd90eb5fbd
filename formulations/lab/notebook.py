# SPDX-License-Identifier: BSD-3-Clause
"""The lab in a cell of a notebook: ``from formulations.lab.notebook import Lab``.

It stands here rather than among the names of :mod:`formulations`, since it needs the extra ``notebook``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.lab.background import THREADS
from formulations.lab.desk import Desk, menu
from formulations.lab.joining import join_modules, join_styles
from formulations.lab.presets import PRESETS
from formulations.lab.settings import MACHINES, Chosen, Setting, Stated, read_setting, setting_of
from formulations.lab.views import VIEWS
from formulations.modelling.inputs.samples import two_classes
from formulations.modelling.solution import Solution
from formulations.models.relevance.machine import RelevanceSolution
from qpkernels.arrays import finite_samples, finite_vector, is_sparse, shown
from qpkernels.errors import MissingPackageError, ParameterError, ShapeError

__all__ = ["Lab"]


try:
    from anywidget import AnyWidget
except ImportError as error:
    raise MissingPackageError("the lab in a notebook needs anywidget: pip install anywidget.") from error

_PAGE = Path(__file__).parent / "page"


class Lab(AnyWidget):
    """The lab in a cell: points are drawn and moved, and :attr:`solution` is the answer that the cell shows.

    Parameters
    ----------
    X, y
        The points to begin with: two features and labels of two classes, of which the greater becomes 1 and the other
        -1; two features without labels; or one feature and targets. None: an example.
    setting
        Points, machine, kernel and view to begin with, in place of X and y: a :attr:`setting`, also of another lab, or
        a decoded link of a page.

    Raises
    ------
    QPKernelsError
        If these are no such points, or no setting.
    MissingPackageError
        From the import of this module, if anywidget is not installed.

    Notes
    -----
    The cell needs a running kernel. Settings are solved in a thread of the widget's own, the newest first. Shown in
    several places, the widget has the setting of the one that was opened or touched last.

    Examples
    --------
    >>> from formulations.lab.notebook import Lab
    >>> lab = Lab([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [2.0, 2.0]], [-1, -1, 1, 1])
    >>> print(lab.solution.formulation, lab.solution.status)
    SoftMargin optimal
    >>> lab.setting = {**lab.setting, "machine": {"name": "logistic"}}
    >>> print(lab.solution.formulation, lab.solution.status)
    Logistic optimal
    """

    _esm = join_modules(_PAGE, "notebook.js")
    _css = join_styles(_PAGE)

    def __init__(
        self, X: ArrayLike | None = None, y: ArrayLike | None = None, *, setting: Mapping[str, Any] | None = None
    ) -> None:
        # First of all: a widget is closed when it is deleted, also where its setting is refused.
        self._thread = ThreadPoolExecutor(1, f"{THREADS}cell")
        self._desk, self._page = Desk(_starting_setting(X, y, setting)), ""
        super().__init__()
        self.on_msg(self._hear)

    @property
    def setting(self) -> Mapping[str, Any]:
        """The state of the cell as JSON: machine, kernel, points, window, view.

        Another one is shown when it is assigned; what it leaves out is the default.

        Raises
        ------
        QPKernelsError
            If what is assigned is no setting; the cell stays as it is.
        """
        return self._present().stated()

    @setting.setter
    def setting(self, setting: Mapping[str, Any]) -> None:
        put = _starting_setting(None, None, setting)
        self._desk.put(put)
        self._tell(self._page, json.dumps({"setting": put.stated()}))

    @property
    def model(self) -> Stated:
        """The model that the cell shows.

        Raises
        ------
        QPKernelsError
            If the points make none, or it has no answer.
        """
        return self._answer()[0]

    @property
    def solution(self) -> Solution | RelevanceSolution:
        """The answer that the cell shows.

        Raises
        ------
        QPKernelsError
            If there is none.
        """
        return self._answer()[1]

    def close(self) -> None:
        """Take the cell away, and end its thread once it has solved what it solves now."""
        super().close()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _present(self) -> Setting:
        setting = self._desk.setting
        assert setting is not None
        return setting

    def _answer(self) -> tuple[Stated, Solution | RelevanceSolution]:
        answer = self._desk.answer(self._present())
        if answer.model is None or answer.solution is None:
            assert answer.error is not None
            raise answer.error
        return answer.model, answer.solution

    def _hear(self, _: Any, content: Any, buffers: Any) -> None:
        """Take a message of a page: {"page": ..., "open": true} where it begins, else {"page": ..., "text": ...}."""
        del buffers
        match content:
            case {"page": str(page), "open": True}:
                self._page, self._desk = page, Desk(self._present())
                self.send({"opened": page})
                self._tell(page, json.dumps({"menu": menu(self._present())}))
            case {"page": str(page), "text": str(text)}:
                if page == self._page:
                    self._take(text)
            case _:
                raise ParameterError(f"a message must have a page and a text, but {shown(content)} came.")

    def _take(self, text: str) -> None:
        """Take a message of the page that was opened last."""
        refusal = self._desk.take(text)
        if refusal is not None:
            self._tell(self._page, refusal)
        self._thread.submit(self._work, self._page, self._desk)

    def _work(self, page: str, desk: Desk) -> None:
        """Tell a page all that it is owed, unless the cell has been taken away, or another page was opened."""
        while self.comm is not None and desk is self._desk and (reply := desk.reply()) is not None:
            self._tell(page, reply)

    def _tell(self, page: str, reply: bytes | str) -> None:
        if isinstance(reply, bytes):
            self.send({"page": page}, [reply])
        else:
            self.send({"page": page, "text": reply})


def _starting_setting(X: ArrayLike | None, y: ArrayLike | None, setting: Mapping[str, Any] | None) -> Setting:
    """Return the setting that the arguments of a :class:`~formulations.lab.notebook.Lab` ask for."""
    if setting is not None:
        if X is not None or y is not None:
            raise ParameterError("X and y exclude a setting, which has points of its own; keep one of the two.")
        return read_setting(dict(setting) if isinstance(setting, Mapping) else setting, VIEWS)
    if X is None:
        if y is not None:
            raise ParameterError("y came without X; give both, or neither.")
        return next(iter(PRESETS.values())).setting
    return _of_samples(X, y)


def _of_samples(X: ArrayLike, y: ArrayLike | None) -> Setting:
    given = finite_samples(X, "X")
    samples = given.toarray() if is_sparse(given) else np.asarray(given)
    if samples.shape[1] not in (1, 2) or (y is None and samples.shape[1] == 1):
        raise ShapeError(
            f"X must have two features, or one feature and targets y, but its shape is {samples.shape} "
            f"{'without' if y is None else 'with'} y; choose columns, such as X[:, [0, 1]]."
        )
    if y is None:
        one_class = Chosen.read({"name": "one-class"}, MACHINES, "machine")
        return replace(setting_of(samples, np.ones(len(samples)), "X"), machine=one_class)
    if samples.shape[1] == 2:
        return setting_of(samples, two_classes(y, len(samples))[0], "X")
    return setting_of(samples, finite_vector(y, "y", len(samples)), "X")
