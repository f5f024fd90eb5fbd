# SPDX-License-Identifier: BSD-3-Clause
"""Times against other solvers, each answer judged by its own certificate: ``python -m benchmarks --data folder``.

What to solve: problems. Who solves it: ours, peers (by fit_peer in a process of its own), and limit, the least it can
take. What is measured: comparison, growth, memory (by fit_within), prediction, start (by first_solve). What is kept:
records, in JSON. What is read: report, by markdown and pictures.
"""
