// SPDX-License-Identifier: BSD-3-Clause
// Interior point: what falls from iterate to iterate, and the products of slacks and multipliers beside the central path.

import { colour } from "../paint.js";
import { axes, linear, logarithmic, panels, paragraph } from "./axes.js";
import { legend, level, numbers, positives, trace } from "./traces.js";

const LEAST = 1e-13;
const BLOCKS = { lower: "lower bounds", upper: "upper bounds" };
const COLOURS = ["positive", "negative", "accent", "bound"];

export function draw(painter, frame) {
  const { arrays, facts: { view } } = frame;
  const gap = arrays["view.gap"]?.data;
  if (!gap) return;
  const [left, right] = panels(painter, 2);
  drawFalling(painter, left, arrays, view);
  drawPath(painter, right, arrays, view);
}

function drawFalling(painter, box, arrays, { tol, step, steps }) {
  const of = (name) => arrays[`view.${name}`].data;
  const series = [
    ["certified error", of("gap"), colour("accent"), []],
    ["mean product μ", of("mu"), colour("ink"), [2, 3]],
    ["primal residual", of("primal_residual"), colour("positive"), [8, 3]],
    ["dual residual", of("dual_residual"), colour("negative"), [5, 3]],
  ];
  const [low, high] = positives(LEAST, ...series.map(([, values]) => values));
  const plot = axes(painter, box, {
    x: linear(0, Math.max(1, steps)), y: logarithmic(Math.min(low, tol / 3), high), title: "What falls",
    xLabel: "iterations",
  });
  level(painter, plot, tol, "proved below");
  const xs = numbers(steps + 1);
  for (const [, values, stroke, dash] of series) trace(painter, plot, xs, values, step, { stroke, dash });
  legend(painter, plot, series.map(([words, , stroke]) => [words, stroke]));
}

/** A dot for each inequality at its slack and multiplier; on the line the product is mu. */
function drawPath(painter, box, arrays, { mu, rows, ends }) {
  const [s, z] = ["slacks", "multipliers"].map((name) => arrays[`view.${name}`].data);
  if (!s.length) {
    paragraph(painter, box[0] + 16, box[1] + 28, box[2] - 32, "There are no inequalities in this dual, whose slacks and "
      + "multipliers could be shown.");
    return;
  }
  const plot = axes(painter, box, {
    x: logarithmic(ends[0], ends[1], 0.05), y: logarithmic(ends[2], ends[3], 0.05), title: "Slacks and multipliers",
    yLabel: "multiplier z", xLabel: "slack s",
  });
  plot.within(() => {
    plot.line([ends[0] / 10, ends[1] * 10], [(10 * mu) / ends[0], mu / (10 * ends[1])], { stroke: colour("ink"), dash: [6, 4] });
    let from = 0;
    rows.forEach(([, size], k) => {
      const dots = numbers(size).map((j) => plot.at(s[from + j], z[from + j]));
      for (const [x, y] of dots) painter.circle(x, y, 2.5, { fill: shade(k), opacity: 0.75 });
      from += size;
    });
  });
  legend(painter, plot, [["s z = μ: central path", colour("ink")], ...rows.map(([name], k) => [BLOCKS[name] ?? name, shade(k)])], true);
}

function shade(k) {
  return colour(COLOURS[k % COLOURS.length]);
}
