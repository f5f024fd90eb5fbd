// SPDX-License-Identifier: BSD-3-Clause
// SMO: the gap and both values after each step, and the objective along the present step.

import { colour } from "../paint.js";
import { axes, extent, linear, logarithmic, panels } from "./axes.js";
import { legend, level, moment, numbers, positives, trace } from "./traces.js";

const LEAST = 1e-9;

export function draw(painter, frame) {
  const { arrays, facts: { view } } = frame;
  const gap = arrays["view.gap"]?.data;
  if (!gap) return;
  const [first, second, third] = thirds(painter);
  const steps = numbers(gap.length);
  const x = linear(0, Math.max(1, view.steps));
  const [low, high] = positives(LEAST, gap);
  const plot = axes(painter, first, {
    x, y: logarithmic(Math.min(low, view.tol / 3), high), title: "Relative gap", xLabel: "pair steps",
  });
  trace(painter, plot, steps, gap, view.step, { stroke: colour("accent") });
  level(painter, plot, view.tol, "proved below");
  drawValues(painter, second, x, steps, arrays, view.step);
  drawStep(painter, third, arrays, view);
}

/** Return the boxes of three panels: side by side where there is room for their titles. */
function thirds(painter) {
  if (painter.width < 440) return panels(painter, 3);
  const width = painter.width / 3;
  return [0, 1, 2].map((k) => [k * width, 0, width, painter.height]);
}

/** The primal value from above and the dual from below: the optimum lies between them. */
function drawValues(painter, box, x, steps, arrays, now) {
  const [primal, dual] = ["primal", "dual"].map((name) => arrays[`view.${name}`].data);
  const [low, best] = [extent(dual)[0], extent(primal)[0]];
  const reach = best - low || Math.abs(best) || 1;
  const plot = axes(painter, box, {
    x, y: linear(low - 0.05 * reach, best + 0.6 * reach), title: "Primal and dual", xLabel: "pair steps",
  });
  trace(painter, plot, steps, primal, now, { stroke: colour("negative") });
  trace(painter, plot, steps, dual, now, { stroke: colour("positive") });
  legend(painter, plot, [["primal P(f, b)", colour("negative")], ["dual D(β)", colour("positive")]]);
}

/** The objective along the step: a parabola, from 0 to its minimum or to the first bound of the box. */
function drawStep(painter, box, arrays, { length, unbounded, room, clipped }) {
  const [title, yLabel] = ["Along this step", "change of the objective"];
  const [lengths, changes] = ["lengths", "changes"].map((name) => arrays[`view.${name}`]?.data);
  if (!lengths) {
    axes(painter, box, { x: linear(0, 1), y: linear(-1, 0), title, xLabel: "length of the step", yLabel });
    return;
  }
  const [low, high] = extent(changes);
  const plot = axes(painter, box, {
    x: linear(0, lengths.at(-1)), y: linear(low, high, 0.08), title, xLabel: "length of the step", yLabel,
  });
  const [left, top, width, height] = plot.inner;
  plot.within(() => {
    if (room !== null && plot.x(room) < left + width) {
      const edge = plot.x(room);
      painter.rectangle(edge, top, left + width - edge, height, { fill: colour("bound"), opacity: 0.15 });
      moment(painter, plot, room);
    }
    plot.line(lengths, changes, { stroke: colour("ink"), width: 1.75 });
    const at = (where) => plot.at(where, between(lengths, changes, where));
    if (clipped && unbounded !== null && unbounded <= lengths.at(-1))
      painter.circle(...at(unbounded), 4, { stroke: colour("soft"), width: 1.5 });
    painter.circle(...at(length), 5, { fill: colour("accent") });
  });
  legend(painter, plot, [
    [clipped ? "to the bound" : "to the minimum", colour("accent")],
    ...(clipped ? [["beyond the box", colour("bound")]] : []),
  ]);
}

/** Return the value at x of the line through evenly spaced points. */
function between(xs, ys, x) {
  const place = Math.min(Math.max((x / xs.at(-1)) * (xs.length - 1), 0), xs.length - 1);
  const k = Math.min(Math.floor(place), xs.length - 2);
  return ys[k] + (place - k) * (ys[k + 1] - ys[k]);
}
