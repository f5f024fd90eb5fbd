# SPDX-License-Identifier: BSD-3-Clause
"""How models, forms and tables show themselves, and what is shown while something runs."""

from formulations.display.models import Explained, ShownForm, ShownModel, classes_of, kernel_of, samples_of
from formulations.display.progress import progress_bar
from formulations.display.tables import Column, Report, Reported, Table, as_text, plain_text

__all__ = [
    "Column",
    "Explained",
    "Report",
    "Reported",
    "ShownForm",
    "ShownModel",
    "Table",
    "as_text",
    "classes_of",
    "kernel_of",
    "plain_text",
    "progress_bar",
    "samples_of",
]
