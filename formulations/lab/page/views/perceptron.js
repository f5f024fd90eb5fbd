// SPDX-License-Identifier: BSD-3-Clause
// The perceptron: mistakes against samples looked at, below their bound, and how many samples are on the wrong side.

import { colour } from "../paint.js";
import { axes, label, linear, logarithmic, panels } from "./axes.js";
import { level, numbers, trace } from "./traces.js";

export function draw(painter, frame) {
  const { arrays, facts: { view } } = frame;
  const looked = arrays["view.looked"]?.data;
  if (!looked) return;
  const [left, right] = panels(painter, 2);
  const steps = numbers(looked.length);
  drawMistakes(painter, left, looked, steps, view);
  const wrong = arrays["view.wrong"].data;
  const plot = axes(painter, right, {
    x: linear(0, Math.max(1, view.steps)), y: linear(0, Math.max(...wrong)), title: "Points on the wrong side",
    xLabel: "corrections",
  });
  trace(painter, plot, steps, wrong, view.step, { stroke: colour("negative") });
}

/** The bound is drawn where the scale reaches it: linear where it is near, else logarithmic. */
function drawMistakes(painter, box, looked, mistakes, { bound, step, steps }) {
  const most = Math.max(1, steps);
  const far = bound > 5 * most;
  const y = far ? logarithmic(1, 2 * bound) : linear(0, 1.12 * Math.max(most, bound ?? 0));
  const plot = axes(painter, box, {
    x: linear(0, Math.max(1, looked.at(-1))), y, title: "Mistakes so far", xLabel: "points looked at",
  });
  trace(painter, plot, looked, mistakes, step, { stroke: colour("accent") });
  if (bound !== null) level(painter, plot, bound, `at most ${label(Math.floor(bound))}: (R / margin)²`);
}
