# SPDX-License-Identifier: BSD-3-Clause
"""Machines as programs of other languages, each with a proof of how near its values are."""

from formulations.modelling.prediction.exporting.export import FORMATS, Checked, ExportedMachine, export

__all__ = ["FORMATS", "Checked", "ExportedMachine", "export"]
