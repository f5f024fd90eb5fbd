# SPDX-License-Identifier: BSD-3-Clause
"""What a format is: the floats of its programs, how they sum, and what is written for a machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from formulations.modelling.prediction.exporting.rounding import Floats
from formulations.modelling.prediction.exporting.table import MachineTable

__all__ = ["MachineFormat"]


class MachineFormat(ABC):
    """A format that machines are written in.

    Attributes
    ----------
    suffix
        Of its files.
    floats
        Those that its programs compute in.
    """

    suffix: ClassVar[str]
    floats: ClassVar[Floats]

    @staticmethod
    def depth(centers: int) -> int:
        """Return through how many roundings a term of a sum over centers goes at most; here as many, in any order.

        Parameters
        ----------
        centers
            Their number.
        """
        return centers

    @abstractmethod
    def written(self, table: MachineTable, name: str, title: str) -> bytes:
        """Return the contents of the file.

        Parameters
        ----------
        table
            The machine.
        name
            What it is called in the program: letters, digits and underscores.
        title
            What it is, in a line.

        Raises
        ------
        ParameterError
            If the format has no words for the machine.
        """
