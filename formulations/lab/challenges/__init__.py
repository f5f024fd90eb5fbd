# SPDX-License-Identifier: BSD-3-Clause
"""Challenges of the lab: something to bring about, judged by the certified answer."""

from collections.abc import Mapping

from formulations.lab.challenges.challenge import Challenge, Verdict
from formulations.lab.challenges.kernels import OF_KERNELS
from formulations.lab.challenges.margins import OF_MARGINS
from formulations.lab.challenges.tubes import OF_TUBES

__all__ = ["CHALLENGES", "Challenge", "Verdict"]

CHALLENGES: Mapping[str, Challenge] = {each.name: each for each in (*OF_MARGINS, *OF_KERNELS, *OF_TUBES)}
"""The challenges by name, in the order in which a page lists them."""
