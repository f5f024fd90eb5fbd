# SPDX-License-Identifier: BSD-3-Clause
"""Random problems of all families: what the default proves, and how fast, against every installed solver.

``python -m benchmarks.campaign --cases 1000 --output campaign.jsonl``
"""
