# SPDX-License-Identifier: BSD-3-Clause
"""What a page asks for: points, a machine, a kernel, and what to look at."""

from formulations.lab.settings.choices import Chosen, MenuChoice, Slider
from formulations.lab.settings.kernels import KERNELS, kernel_of
from formulations.lab.settings.machines import MACHINES, LabTask, MachineChoice
from formulations.lab.settings.setting import MOST_POINTS, Points, Setting, ShownView, Window, read_setting

__all__ = [
    "KERNELS",
    "MACHINES",
    "MOST_POINTS",
    "Chosen",
    "LabTask",
    "MachineChoice",
    "MenuChoice",
    "Points",
    "Setting",
    "ShownView",
    "Slider",
    "Window",
    "kernel_of",
    "read_setting",
]
