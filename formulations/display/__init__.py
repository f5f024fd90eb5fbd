# SPDX-License-Identifier: BSD-3-Clause
"""How models, forms and tables show themselves, and what is shown while something runs."""

from formulations.display.models import (
    Explained,
    ShownModel,
    card_of_form,
    classes_of,
    kernel_of,
    line_of_form,
    objective_of,
    samples_of,
    statement_of_form,
)
from formulations.display.progress import progress_bar
from formulations.display.tables import Column, Report, Reported, Table, as_text, plain_text

__all__ = [
    "Column",
    "Explained",
    "Report",
    "Reported",
    "ShownModel",
    "Table",
    "as_text",
    "card_of_form",
    "classes_of",
    "kernel_of",
    "line_of_form",
    "objective_of",
    "plain_text",
    "progress_bar",
    "samples_of",
    "statement_of_form",
]
