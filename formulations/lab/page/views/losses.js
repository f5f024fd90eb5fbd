// SPDX-License-Identifier: BSD-3-Clause
// The optimality conditions and the losses of all samples, over their margins or residuals.

import { colour } from "../paint.js";
import { drawMarked, drawPoints, drawRoles } from "../plane/marks.js";
import { axes, extent, label, linear } from "./axes.js";
import { pairs, placesOf, samplesAt } from "./samples.js";

/** Every sample by its margin, or residual, and its multiplier, on the graph where both are optimal. */
export function drawConditions(painter, frame) {
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

/** The loss over margins or residuals, and what each sample pays, as a stem below it. */
export function drawLosses(painter, frame) {
  const { facts: { view }, arrays, setting } = frame;
  if (!arrays["view.curve"]) return;
  const curve = pairs(arrays["view.curve"]);
  const loss = arrays["view.loss"].data;
  const samples = samplesAt(arrays["view.place"].data, loss, setting.points);
  const top = extent(loss)[1] || extent(curve.map(([, value]) => value))[1] || 1;
  const plot = axes(painter, [0, 0, painter.width, painter.height], {
    x: linear(...extent(curve.map(([place]) => place))), y: linear(-0.05 * top, 1.15 * top),
    xLabel: view.place, yLabel: `loss; the sum of all stems is ${label(view.sum)}`,
  });
  plot.within(() => {
    const stems = samples.flatMap(([u, v]) => (v > 0 ? [[plot.at(u, 0), plot.at(u, v)]] : []));
    painter.lines(stems, { stroke: colour("slack"), width: 1.25, opacity: 0.8 });
    plot.line(curve.map(([u]) => u), curve.map(([, v]) => v), { stroke: colour("accent"), width: 2.5 });
    drawWall(painter, plot, curve);
    drawPoints(painter, plot, samples);
  });
  return placesOf(plot, samples);
}

/** A line upwards at the last place before the loss becomes infinite. */
function drawWall(painter, plot, curve) {
  const isInfinite = (k) => k in curve && !Number.isFinite(curve[k][1]);
  const isEnd = (_, k) => !isInfinite(k) && (isInfinite(k - 1) || isInfinite(k + 1));
  const walls = curve.filter(isEnd).map(([place, value]) => [plot.at(place, value), [plot.x(place), plot.inner[1]]]);
  painter.lines(walls, { stroke: colour("accent"), width: 2.5, dash: [5, 3] });
}
