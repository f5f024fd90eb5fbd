// SPDX-License-Identifier: BSD-3-Clause
// Between the window, in data units, and the pixels of a picture.

import { colour } from "../paint.js";

/** Return {x, y} from data units to pixels, {u, v} back, and the size of the picture. */
export function axesOf([left, right, bottom, top], width, height) {
  const [across, up] = [width / (right - left), height / (top - bottom)];
  return {
    width,
    height,
    across,
    up,
    x: (u) => (u - left) * across,
    y: (v) => (top - v) * up,
    u: (x) => left + x / across,
    v: (y) => top - y / up,
  };
}

/** Return the least round number from a number on. */
function rounding(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((each) => each * power >= rough);
}

/** Return the widths of the cells, across and upwards, of the grid that points of a window snap to. */
export function gridOf([left, right, bottom, top]) {
  return [rounding((right - left) / CELLS), rounding((top - bottom) / CELLS)];
}

/** Draw the lines of a grid. */
export function drawGrid(painter, axes, [left, right, bottom, top], [across, up]) {
  const count = (low, high, step) => Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 },
    (_, k) => (Math.ceil(low / step) + k) * step);
  painter.lines([
    ...count(left, right, across).map((u) => [[axes.x(u), 0], [axes.x(u), axes.height]]),
    ...count(bottom, top, up).map((v) => [[0, axes.y(v)], [axes.width, axes.y(v)]]),
  ], { stroke: colour("soft"), width: 0.5, opacity: 0.35 });
}

/** Return round numbers between two, about as many as asked for. */
export function ticks(low, high, count) {
  const step = rounding((high - low) / count);
  const first = Math.ceil(low / step);
  const all = Math.floor(high / step) - first + 1;
  return Array.from({ length: all }, (_, k) => Number(((first + k) * step).toPrecision(6)));
}

/** Cells of a grid along a side of the window, at most. */
const CELLS = 40;

/** Pixels around the end of a tick in which its number is. */
const WORDS = 60;

/** Draw ticks with their numbers along the left and the lower side, where they are seen: isSeen(x, y, reach). */
export function drawTicks(painter, axes, [left, right, bottom, top], isSeen = () => true) {
  const style = { fill: colour("ink"), size: 11 };
  const lines = [];
  for (const u of ticks(left, right, axes.width / 75)) {
    const x = axes.x(u);
    if (x < 24 || x > axes.width - 16 || !isSeen(x, axes.height, WORDS)) continue;
    lines.push([[x, axes.height], [x, axes.height - 5]]);
    painter.text(x, axes.height - 8, numeral(u), { ...style, anchor: "middle" });
  }
  for (const v of ticks(bottom, top, axes.height / 60)) {
    const y = axes.y(v);
    if (y < 12 || y > axes.height - 26 || !isSeen(0, y, WORDS)) continue;
    lines.push([[0, y], [5, y]]);
    painter.text(8, y + 4, numeral(v), style);
  }
  painter.lines(lines, { stroke: colour("soft"), width: 1 });
}

function numeral(value) {
  return String(value).replace("-", "\u2212");
}
