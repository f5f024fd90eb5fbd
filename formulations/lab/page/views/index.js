// SPDX-License-Identifier: BSD-3-Clause
// The diagrams by the name of their view; one a file, each with draw(painter, frame, setting).
//
// frame.facts.view holds the facts of formulations/lab/views/NAME.py, and frame.arrays["view.NAME"] its arrays.

export const DIAGRAMS = {};
