// SPDX-License-Identifier: BSD-3-Clause
// The diagrams by the name of their view, each of them draw(painter, frame, setting). Where it returns the places
// of all samples in pixels, [[x, y], ...], of two panels one after the other, a pointer explains the sample there.
//
// frame.facts.view holds the facts of formulations/lab/views/NAME.py, and frame.arrays["view.NAME"] its arrays.

import { draw as gram } from "./gram.js";
import { draw as hulls } from "./hulls.js";
import { draw as interiorPoint } from "./interior-point.js";
import { drawConditions as kkt, drawLosses as losses } from "./losses.js";
import { draw as path } from "./path.js";
import { draw as perceptron } from "./perceptron.js";
import { draw as race } from "./race.js";
import { draw as smo } from "./smo.js";

export const DIAGRAMS = { hulls, kkt, losses, path, gram, perceptron, smo, "interior-point": interiorPoint, race };
