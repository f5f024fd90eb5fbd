# SPDX-License-Identifier: BSD-3-Clause
"""Machines of many samples; one module for each measurement."""
