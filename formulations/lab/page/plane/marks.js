// SPDX-License-Identifier: BSD-3-Clause
// What is drawn of the points: multipliers, slacks, roles, and the points themselves.

import { colour } from "../paint.js";
import { HELD } from "../state/held.js";

export const RADIUS = 5;
/** Pixels around a point in which it is drawn, with its ring. */
export const REACH = 10;
const MANY = 600;
const LARGEST_DISC = 16;
const FREE = 1;
const AT_BOUND = 2;

/** Return the size of marks of points that are so many: beyond some hundreds below 1, so that they stay apart. */
export function scaleOf(points) {
  return Math.min(1, Math.max(0.5, Math.sqrt(MANY / points.length)));
}

function radiusOf(points) {
  return RADIUS * scaleOf(points);
}

/** Discs behind the points, with areas as the absolute values of the multipliers. */
export function drawMultipliers(painter, axes, points, multipliers) {
  const largest = multipliers.reduce((most, beta) => Math.max(most, Math.abs(beta)), 0);
  if (!largest) return;
  const widest = LARGEST_DISC * scaleOf(points) ** 2;
  for (const sign of [1, -1]) {
    const discs = [];
    points.forEach(([u, v], i) => {
      const radius = widest * Math.sqrt((sign * multipliers[i]) / largest);
      if (radius > 1) discs.push([axes.x(u), axes.y(v), radius]);
    });
    painter.circles(discs, { fill: colour(sign > 0 ? "positive" : "negative"), opacity: 0.3 });
  }
}

const everywhere = () => true;

/**
 * Rings around support vectors: apart from the point where the multiplier is free, close and thick at its bound; those
 * that are seen, isSeen(x, y, reach).
 */
export function drawRoles(painter, axes, points, roles, isSeen = everywhere) {
  const rings = (role, radius) => points.flatMap(([u, v], i) => {
    if (roles[i] !== role) return [];
    const [x, y] = [axes.x(u), axes.y(v)];
    return isSeen(x, y, REACH) ? [[x, y, radius]] : [];
  });
  const radius = radiusOf(points);
  painter.circles(rings(FREE, 1.6 * radius), { stroke: colour("free"), width: 0.4 * radius });
  const filled = points.length > MANY;
  if (filled) painter.circles(rings(AT_BOUND, 1.35 * radius), { fill: colour("bound") });
  else painter.circles(rings(AT_BOUND, 1.3 * radius), { stroke: colour("bound"), width: 0.6 * radius });
}

/** Rings around the points that the step of an algorithm, a view or an error is about, with their numbers. */
export function drawMarked(painter, axes, points, marked) {
  const there = marked.filter((i) => points[i]);
  const rings = there.map((i) => [axes.x(points[i][0]), axes.y(points[i][1]), RADIUS + 7]);
  painter.circles(rings, { stroke: colour("accent"), width: 3 });
  const style = { fill: colour("ink"), size: 12, weight: "600" };
  rings.forEach(([x, y, radius], k) => painter.text(x + radius, y - radius + 2, String(there[k]), style));
}

/** Hollows of the points that are held out. */
export function drawHeld(painter, axes, points, roles, isSeen = everywhere) {
  const hollow = 0.55 * radiusOf(points);
  const there = points.map(([u, v]) => [axes.x(u), axes.y(v), hollow]).filter(([x, y], i) => roles[i] === HELD && isSeen(x, y, REACH));
  painter.circles(there, { fill: colour("paper") });
}

/** The points that are seen: discs of the class +1, squares of the class -1, and discs of a regression. */
export function drawPoints(painter, axes, points, isSeen = everywhere) {
  const radius = radiusOf(points);
  const edge = { stroke: colour("paper"), width: 0.25 * radius };
  const at = ([u, v]) => [axes.x(u), axes.y(v)];
  const seen = points.filter((point) => isSeen(...at(point), REACH));
  const targets = seen.filter((point) => point.length === 2).map(at);
  const positive = seen.filter((point) => point[2] > 0).map(at);
  const negative = seen.filter((point) => point[2] < 0).map(at);
  painter.circles(targets.map(([x, y]) => [x, y, 0.9 * radius]), { fill: colour("ink"), ...edge });
  painter.circles(positive.map(([x, y]) => [x, y, radius]), { fill: colour("positive"), ...edge });
  const half = 0.9 * radius;
  for (const [x, y] of negative) {
    painter.rectangle(x - half, y - half, 2 * half, 2 * half, { fill: colour("negative"), ...edge });
  }
}

/**
 * Strokes from points within the margin to it: up the decision value, times the label, to its level. Of a point from
 * which no way within the window leads there, none is drawn.
 */
export function drawSlacks(painter, axes, points, slacks, field, window, level) {
  const strokes = points.flatMap(([u, v, label], i) => {
    if (!(slacks[i] > SLIGHT)) return [];
    const way = ascent(field, label ?? 1, level, placeOf(field, window, u, v));
    return way ? [way.map((place) => pointOf(field, window, place)).map(([x, y]) => [axes.x(x), axes.y(y)])] : [];
  });
  const scale = scaleOf(points);
  painter.lines(strokes, { stroke: colour("slack"), width: 1.5 * scale, opacity: scale ** 2 });
}

const SLIGHT = 1e-6;
/** Cells of the field that a stroke takes in one step, and steps after which it is given up. */
const [STRIDE, MOST_STRIDES] = [0.5, 400];

/** Return [column, row] of a point in a field, and the point of these. */
function placeOf({ shape: [rows, columns] }, [left, right, bottom, top], u, v) {
  return [((u - left) / (right - left)) * (columns - 1), ((v - bottom) / (top - bottom)) * (rows - 1)];
}

function pointOf({ shape: [rows, columns] }, [left, right, bottom, top], [column, row]) {
  return [left + (column / (columns - 1)) * (right - left), bottom + (row / (rows - 1)) * (top - bottom)];
}

/** Return the places on the steepest way up sign times the field, from a place to a level; null where it is not reached. */
function ascent(field, sign, level, place) {
  const way = [place];
  let here = at(field, place);
  for (let k = 0; here && k < MOST_STRIDES; k++) {
    const size = Math.hypot(here.across, here.up);
    if (!size) return null;
    const next = [place[0] + (sign * STRIDE * here.across) / size, place[1] + (sign * STRIDE * here.up) / size];
    const there = at(field, next);
    if (!there || sign * there.value <= sign * here.value) return null;
    if (sign * there.value >= level) {
      const share = (level - sign * here.value) / (sign * (there.value - here.value));
      return [...way, [0, 1].map((c) => place[c] + share * (next[c] - place[c]))];
    }
    way.push(next);
    [place, here] = [next, there];
  }
  return null;
}

/** Return the value and the slopes of a field at a place between its cells; null outside. */
function at({ data, shape: [rows, columns] }, [column, row]) {
  const [j, i] = [Math.min(Math.floor(column), columns - 2), Math.min(Math.floor(row), rows - 2)];
  if (!(column >= 0 && row >= 0 && column <= columns - 1 && row <= rows - 1)) return null;
  const [s, t, k] = [column - j, row - i, i * columns + j];
  const [a, b, c, d] = [data[k], data[k + 1], data[k + columns], data[k + columns + 1]];
  return {
    value: (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d),
    across: (1 - t) * (b - a) + t * (d - c),
    up: (1 - s) * (c - a) + s * (d - b),
  };
}

/** What the hand or the keyboard is at: a ring around the chosen point, or a cross where Enter adds one. */
export function drawCursor(painter, axes, points, { selected = null, cross = null }) {
  const point = points[selected];
  if (point) {
    const [x, y] = [axes.x(point[0]), axes.y(point[1])];
    painter.circle(x, y, RADIUS + 8, { stroke: colour("paper"), width: 5 });
    painter.circle(x, y, RADIUS + 8, { stroke: colour("accent"), width: 2.5 });
  }
  if (cross) {
    const [x, y] = [axes.x(cross[0]), axes.y(cross[1])];
    const arms = [[[x - 12, y], [x + 12, y]], [[x, y - 12], [x, y + 12]]];
    painter.lines(arms, { stroke: colour("paper"), width: 5 });
    painter.lines(arms, { stroke: colour("accent"), width: 2 });
  }
}
