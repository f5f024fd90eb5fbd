# SPDX-License-Identifier: BSD-3-Clause
"""What a page asks for: points, a machine, a kernel, and what to look at."""

from formulations.lab.settings.choices import Choice, Chosen, Slider
from formulations.lab.settings.kernels import KERNELS, PARAMETRISATIONS, kernel_of
from formulations.lab.settings.machines import MACHINES, Machine, Task
from formulations.lab.settings.setting import MOST_POINTS, Points, Setting, View, Window, read_setting

__all__ = [
    "KERNELS",
    "MACHINES",
    "MOST_POINTS",
    "PARAMETRISATIONS",
    "Choice",
    "Chosen",
    "Machine",
    "Points",
    "Setting",
    "Slider",
    "Task",
    "View",
    "Window",
    "kernel_of",
    "read_setting",
]
