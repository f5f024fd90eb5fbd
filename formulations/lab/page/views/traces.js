// SPDX-License-Identifier: BSD-3-Clause
// What diagrams share: traces over steps, solid up to the present one, and lines across at a value of y or of x.

import { colour } from "../paint.js";

/** Return 0, 1, ..., count - 1. */
export function numbers(count) {
  return Array.from({ length: count }, (_, k) => k);
}

/** Draw ys over xs: faint as a whole, solid up to the place `now`, with a dot there. */
export function trace(painter, plot, xs, ys, now, { stroke, width = 1.75, dash = [] }) {
  plot.within(() => {
    plot.line(xs, ys, { stroke, width: 1, dash, opacity: 0.4 });
    plot.line(xs.slice(0, now + 1), ys.slice(0, now + 1), { stroke, width, dash });
    const [x, y] = plot.at(xs[now], ys[now]);
    if (Number.isFinite(x) && Number.isFinite(y)) painter.circle(x, y, 3.5, { fill: stroke });
  });
}

/** Draw a horizontal line at a value of y, with words above its right end. */
export function level(painter, plot, value, words, { stroke = colour("ink"), width = 1.25, dash = [6, 4] } = {}) {
  const [left, , across] = plot.inner;
  const y = plot.y(value);
  painter.lines([[[left, y], [left + across, y]]], { stroke, width, dash });
  painter.text(left + across - 4, y - 4, words, { fill: stroke, size: 11, anchor: "end" });
}

/** Draw a vertical line at a value of x. */
export function moment(painter, plot, value, style = { stroke: colour("soft"), width: 1 }) {
  const [, top, , height] = plot.inner;
  const x = plot.x(value);
  painter.lines([[[x, top], [x, top + height]]], style);
}

/** Write [words, colour] one below the other inside the data's box: at its upper right, or at its lower left. */
export function legend(painter, plot, entries, isLow = false) {
  const [left, top, width, height] = plot.inner;
  const from = isLow ? top + height - 15 * entries.length + 7 : top + 15;
  const [x, anchor] = isLow ? [left + 8, "start"] : [left + width - 6, "end"];
  entries.forEach(([words, fill], k) =>
    painter.text(x, from + 15 * k, words, { fill, size: 11, anchor, weight: "600" }),
  );
}

/** Return the least and the largest value above 0, at least `least`, of arrays; [least, 1] if there is none. */
export function positives(least, ...arrays) {
  let [low, high] = [Infinity, least];
  for (const values of arrays)
    for (const value of values)
      if (value > 0 && Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low <= high ? [Math.max(low, least), high] : [least, 1];
}
