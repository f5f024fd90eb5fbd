// SPDX-License-Identifier: BSD-3-Clause
// Primal and dual of a margin side by side: the strip with its slacks, and the nearest points of the reduced hulls.

import { colour } from "../paint.js";
import { drawMultipliers, drawPoints } from "../plane/marks.js";
import { axes, broken, extent, label, linear, panels, paragraph } from "./axes.js";
import { labelled, pairs, placesOf } from "./samples.js";

const SMALL = 11;

export function draw(painter, frame) {
  const { facts: { view, error }, arrays } = frame;
  if (!arrays["view.points"]) return;
  const picture = read(arrays);
  const width = painter.width - 16;
  const height = painter.height - 1.35 * SMALL * broken(view.note, width, SMALL).length - 8;
  paragraph(painter, 8, height + SMALL, width, view.note, { size: SMALL });
  const box = [0, 0, painter.width, height];
  // Where the plane is that of the samples, the picture of the machine is that of the primal.
  if (view.whole || error) return drawDual(painter, box, picture, view);
  const [across, upwards] = extents(picture).map(([low, high]) => high - low);
  const boxes = panels(painter, 2, box, across / upwards || 1);
  return [...drawPrimal(painter, boxes[0], picture, frame), ...drawDual(painter, boxes[1], picture, view)];
}

function read(arrays) {
  const of = (name) => arrays[`view.${name}`];
  const points = pairs(of("points"));
  const sides = ["+", "-"].filter((side) => of(`point ${side}`)).map((side) => ({
    name: side === "+" ? "positive" : "negative",
    hull: of(`hull ${side}`) ? pairs(of(`hull ${side}`)) : [],
    reduced: of(`reduced ${side}`) ? pairs(of(`reduced ${side}`)) : [],
    point: of(`point ${side}`).data,
  }));
  const samples = labelled(points, of("labels").data);
  const [normal, levels, weights] = ["normal", "levels", "weights"].map((name) => of(name)?.data);
  return { points, samples, sides, normal, levels, weights };
}

/** Return from where to where all points and both nearest ones reach, across and upwards. */
function extents({ points, sides }) {
  const all = [...points, ...sides.map(({ point }) => point)];
  return [0, 1].map((k) => extent(all.map((each) => each[k])));
}

/** Axes that show these, with equal units. */
function frameOf(painter, box, picture, title, below) {
  const { normal } = picture;
  const [x, y] = extents(picture).map((ends) => linear(...ends, 0.07));
  return axes(painter, box, {
    x, y, title, yLabel: below, equal: true, xLabel: normal?.[1] === 0 ? "along f" : "",
  });
}

function drawPrimal(painter, box, picture, frame) {
  const plot = frameOf(painter, box, picture, "Primal: the margin", "area of the discs: |\u03b2|");
  plot.within(() => {
    drawStrip(painter, plot, picture);
    if (frame.arrays.multipliers) drawMultipliers(painter, plot, picture.points, frame.arrays.multipliers.data);
    drawPoints(painter, plot, picture.samples);
  });
  return placesOf(plot, picture.samples);
}

/** The surface f(x) + b = 0, the lines of the margin, and the slacks as strokes from a sample to the line of its class. */
function drawStrip(painter, plot, { samples, normal, levels }) {
  if (!normal) return;
  const styles = levels.length === 1 ? ["ink"] : ["negative", "ink", "positive"];
  styles.forEach((name, k) => across(painter, plot, normal, levels[k], {
    stroke: colour(name), width: name === "ink" ? 2 : 1.5, dash: name === "ink" ? [] : [6, 4],
  }));
  const strokes = samples.flatMap(([u, v, sign]) => {
    const short = (sign > 0 ? levels.at(-1) : levels[0]) - (u * normal[0] + v * normal[1]);
    return sign * short > 1e-4 ? [[plot.at(u, v), plot.at(u + short * normal[0], v + short * normal[1])]] : [];
  });
  painter.lines(strokes, { stroke: colour("slack"), width: 1.25 });
}

/** Draw the line where the position along the normal has a value. */
function across(painter, plot, [a, b], value, style) {
  const reach = 1e3 * Math.max(1, Math.abs(value));
  const end = (by) => plot.at(a * value - b * by, b * value + a * by);
  painter.lines([[end(reach), end(-reach)]], style);
}

function drawDual(painter, box, picture, view) {
  const { points, samples, sides, normal, weights } = picture;
  const title = view.bound < 1 ? "Dual: the reduced hulls" : "Dual: the hulls";
  const weighted = view.bound < 1 ? `, weights up to ${label(view.bound)}` : "";
  const plot = frameOf(painter, box, picture, title, `distance ${label(view.distance)}${weighted}`);
  const at = (list) => list.map(([u, v]) => plot.at(u, v));
  plot.within(() => {
    for (const { name, hull, reduced } of sides) {
      const closed = (list) => (list.length > 1 ? [at([...list, list[0]])] : []);
      painter.lines(closed(hull), { stroke: colour(name), width: 1, dash: [2, 3], opacity: 0.8 });
      painter.lines(closed(reduced), { fill: colour(name), opacity: 0.25 });
      painter.lines(closed(reduced), { stroke: colour(name), width: 1.5 });
    }
    if (weights) drawMultipliers(painter, plot, points, weights.map((each, i) => each * samples[i][2]));
    drawPoints(painter, plot, samples);
    drawNearest(painter, plot, sides, normal);
  });
  return placesOf(plot, samples);
}

/** The two points, what is between them, and the lines through them at right angles to it. */
function drawNearest(painter, plot, sides, normal) {
  const [one, other] = sides.map(({ point }) => plot.at(point[0], point[1]));
  if (normal && other) {
    for (const { name, point } of sides) {
      const value = point[0] * normal[0] + point[1] * normal[1];
      across(painter, plot, normal, value, { stroke: colour(name), width: 1, dash: [1, 3] });
    }
    painter.lines([[one, other]], { stroke: colour("accent"), width: 2.5 });
  }
  for (const [x, y] of [one, other].filter(Boolean)) {
    const diamond = [[x - 7, y], [x, y - 7], [x + 7, y], [x, y + 7]];
    painter.lines([diamond], { fill: colour("accent"), stroke: colour("paper"), width: 1.5 });
  }
}
