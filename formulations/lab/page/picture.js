// SPDX-License-Identifier: BSD-3-Clause
// The main picture: the function of a frame over the window, and the points of the setting.
//
// It is drawn in two parts, the samples over the answer: a frame changes all of the answer, but few samples.
// The frame may be of a setting before: what it says of single points is drawn where it has as many.

import { contours } from "./contours.js";
import { colour } from "./paint.js";
import { axesOf, drawGrid, drawTicks } from "./plane/axes.js";
import { fieldImage } from "./plane/field.js";
import { drawCursor, drawHeld, drawMarked, drawMultipliers, drawPoints, drawRoles, drawSlacks, scaleOf } from "./plane/marks.js";

/** Draw a setting and its frame, null before there is one. */
export function drawPicture(painter, frame, setting) {
  drawAnswer(painter, frame, setting);
  drawSamples(painter, frame, setting);
}

/** Draw what lies under the samples; marks = {selected, cross, grid} of the hand. */
export function drawAnswer(painter, frame, setting, marks = {}) {
  const axes = axesOf(setting.window, painter.width, painter.height);
  painter.rectangle(0, 0, painter.width, painter.height, { fill: colour("paper") });
  painter.clipped(0, 0, painter.width, painter.height, () => {
    if (frame?.arrays.field && isPlane(setting)) drawPlane(painter, axes, frame);
    if (frame?.arrays.curve && !isPlane(setting)) drawCurve(painter, axes, frame, setting);
    if (marks.grid) drawGrid(painter, axes, setting.window, marks.grid);
    drawRead(painter, axes, frame, setting.points);
    drawCursor(painter, axes, setting.points, marks);
  });
}

/** Draw the ticks, and the samples with their rings, where they are seen: isSeen(x, y, reach) is of a disc. */
export function drawSamples(painter, frame, { window, points }, isSeen = () => true) {
  const axes = axesOf(window, painter.width, painter.height);
  const roles = ofSamples(frame, "roles", points);
  painter.clipped(0, 0, painter.width, painter.height, () => {
    drawTicks(painter, axes, window, isSeen);
    if (roles) drawRoles(painter, axes, points, roles, isSeen);
    drawPoints(painter, axes, points, isSeen);
    if (roles) drawHeld(painter, axes, points, roles, isSeen);
  });
}

/** Return the numbers of an array of a frame, one for each sample; null where it has not as many. */
export function ofSamples(frame, name, points) {
  const data = frame?.arrays[name]?.data;
  return data?.length === points.length ? data : null;
}

function isPlane(setting) {
  return setting.points.length ? setting.points[0].length === 3 : true;
}

/** The decision values, with the lines of 0 and, of a margin, its levels, or else of the probabilities 1/4 and 3/4. */
function drawPlane(painter, axes, { arrays: { field, probability }, facts, setting: { window } }) {
  const [rows, columns] = field.shape;
  const [x, y] = [axes.x(window[0]), axes.y(window[3])];
  const [across, up] = [(axes.x(window[1]) - x) / (columns - 1), (axes.y(window[2]) - y) / (rows - 1)];
  const low = axes.y(window[2]);
  // The values belong to the middles of pixels.
  painter.image(fieldImage(field, facts.level), x - across / 2, y - up / 2, across * columns, up * rows);
  const onScreen = (line) => line.map(([column, row]) => [x + column * across, low - row * up]);
  const at = (values, levels) => contours(values, levels).map((lines) => lines.map(onScreen));
  const edges = facts.level > 0 ? [facts.level, -facts.level] : [];
  const [boundary, ...margin] = at(field, probability ? [0] : [0, ...edges]);
  const [above, below] = probability ? at(probability, [0.75, 0.25]) : margin;
  if (above) {
    painter.lines(above, { stroke: colour("positive"), width: 1.5, dash: [6, 4] });
    painter.lines(below, { stroke: colour("negative"), width: 1.5, dash: [6, 4] });
  }
  painter.lines(boundary, { stroke: colour("ink"), width: 2.25 });
}

/** The curve of a regression, its tube or the deviation of a new target, and residuals. */
function drawCurve(painter, axes, frame, setting) {
  const { arrays: { curve, deviation }, setting: { window, machine } } = frame;
  const across = (window[1] - window[0]) / (curve.data.length - 1);
  const shifted = (by) => Array.from(curve.data, (value, k) => [axes.x(window[0] + k * across), axes.y(value + by(k))]);
  const { epsilon } = frame.facts;
  const { delta } = machine.values;
  const half = deviation ? (k) => deviation.data[k] : epsilon > 0 ? () => epsilon : null;
  if (half) {
    const [above, below] = [shifted(half), shifted((k) => -half(k))];
    painter.lines([[...above, ...below.toReversed()]], { fill: colour("tube"), opacity: 0.22 });
    painter.lines([above, below], { stroke: colour("tube"), width: 1.5, dash: deviation ? [] : [6, 4] });
  }
  if (delta) {
    const edges = [shifted(() => delta), shifted(() => -delta)];
    painter.lines(edges, { stroke: colour("soft"), width: 1, dash: [2, 4] });
  }
  drawResiduals(painter, axes, frame, setting.points, epsilon ?? 0);
  painter.lines([shifted(() => 0)], { stroke: colour("ink"), width: 2.25 });
}

/** Verticals from the points to the tube, or to the curve. */
function drawResiduals(painter, axes, { arrays: { decision } }, points, epsilon) {
  if (decision?.data.length !== points.length) return;
  const strokes = points.flatMap(([u, v], i) => {
    const residual = v - decision.data[i];
    const end = decision.data[i] + Math.sign(residual) * epsilon;
    return Math.abs(residual) > epsilon ? [[[axes.x(u), axes.y(v)], [axes.x(u), axes.y(end)]]] : [];
  });
  painter.segments(strokes, { stroke: colour("slack"), width: 1.25, opacity: scaleOf(points) ** 2 });
}

/** What the answer makes of the samples: slacks, multipliers, and what a step of an algorithm is about. */
function drawRead(painter, axes, frame, points) {
  const [multipliers, slacks] = ["multipliers", "slacks"].map((name) => ofSamples(frame, name, points));
  if (slacks && frame.arrays.field) {
    drawSlacks(painter, axes, points, slacks, frame.arrays.field, frame.setting.window, frame.facts.level ?? 0);
  }
  if (multipliers) drawMultipliers(painter, axes, points, multipliers);
  drawMarked(painter, axes, points, frame?.facts.view?.marked ?? []);
}
