// SPDX-License-Identifier: BSD-3-Clause
// The optimality conditions: every sample by its margin, or residual, and its multiplier, on the graph of both.

import { colour } from "../paint.js";
import { drawMarked, drawPoints, drawRoles } from "../plane/marks.js";
import { axes, extent, linear } from "./axes.js";
import { pairs, placesOf, samplesAt } from "./samples.js";

export function draw(painter, frame) {
  const { facts: { view }, arrays, setting } = frame;
  if (!arrays["view.curve"]) return;
  const curve = pairs(arrays["view.curve"]);
  const samples = samplesAt(arrays["view.place"].data, arrays["view.multiplier"].data, setting.points);
  const [x, y] = [0, 1].map((k) => extent(curve.map((each) => each[k]), samples.map((each) => each[k])));
  const plot = axes(painter, [0, 0, painter.width, painter.height], {
    x: linear(...x), y: linear(...y, 0.08), xLabel: view.place, yLabel: view.multiplier,
  });
  plot.within(() => {
    plot.line(x, [0, 0], { stroke: colour("soft"), width: 1 });
    plot.line(curve.map(([u]) => u), curve.map(([, v]) => v), { stroke: colour("accent"), width: 7, opacity: 0.35 });
    drawPoints(painter, plot, samples);
    if (arrays.roles) drawRoles(painter, plot, samples, arrays.roles.data);
    drawMarked(painter, plot, samples, view.marked);
  });
  return placesOf(plot, samples);
}
