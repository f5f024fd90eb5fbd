// SPDX-License-Identifier: BSD-3-Clause
// Axes of the diagrams: linear and logarithmic scales, ticks and labels, and the maps from data to pixels.
//
//   const [left, right] = panels(painter, 2);
//   const plot = axes(painter, left, { x: linear(0, 1), y: logarithmic(1e-6, 1), title: "gap", xLabel: "step" });
//   plot.line(xs, ys, { stroke: colour("ink") });
//   painter.circle(plot.x(0.5), plot.y(1e-3), 3, { fill: colour("ink") });
//
// A box is [x, y, width, height] in pixels, y downwards. A line breaks where a value is not finite.

import { colour } from "../paint.js";

/** Return a scale from low to high with equal differences; the share `margin` of its length is added at either end. */
export function linear(low, high, margin = 0) {
  [low, high] = spread(low, high, Math.max(Math.abs(high), 1));
  const room = margin * (high - low);
  [low, high] = [low - room, high + room];
  return {
    low,
    high,
    length: high - low,
    place: (value) => (value - low) / (high - low),
    ticks: (count = 5) => linearTicks(low, high, count),
  };
}

/** Return a scale from low to high, both above 0, with equal ratios; values up to 0 lie at its low end. */
export function logarithmic(low, high, margin = 0) {
  const [from, to] = spread(Math.log10(low), Math.log10(high), 1);
  const room = margin * (to - from);
  const [start, end] = [from - room, to + room];
  return {
    low: 10 ** start,
    high: 10 ** end,
    place: (value) => (value > 0 ? (Math.log10(value) - start) / (end - start) : 0),
    ticks: (count = 5) => logarithmicTicks(start, end, count),
  };
}

/** Return the least and the largest finite value of arrays and numbers; [0, 1] if there is none. */
export function extent(...parts) {
  let [low, high] = [Infinity, -Infinity];
  for (const part of parts) {
    for (const value of typeof part === "number" ? [part] : part) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Return boxes of `count` panels: side by side where that is wide enough, or best for an aspect ratio (width over height)
 * of what they hold, else one below the other. */
export function panels(painter, count, [x, y, width, height] = [0, 0, painter.width, painter.height], aspect = null) {
  const across = aspect === null ? width >= 260 * count && width / count >= 0.6 * height
    : Math.min(width / count / aspect, height) > Math.min(width / aspect, height / count);
  return Array.from({ length: count }, (_, k) =>
    across
      ? [x + (k * width) / count, y, width / count, height]
      : [x, y + (k * height) / count, width, height / count],
  );
}

/**
 * Draw a frame with ticks into a box, and return its maps.
 *
 * The title stands above, the label of y below it at the left, that of x below the ticks at the right. `ticks` is
 * {x, y}: how many at about, 0 for none. With `equal`, two linear scales are widened to the same length of a unit. What
 * is returned: `x(value)` and `y(value)` in pixels, `at(x, y)` as a pair, `inner`, the box of the data, `line(xs, ys,
 * style)`, and `within(paint)`, which clips to the data's box.
 */
export function axes(painter, [left, top, width, height], options) {
  const { title = "", xLabel = "", yLabel = "", ticks = {}, equal = false } = options;
  let { x, y } = options;
  const upper = 8 + (title ? 17 : 0) + (yLabel ? 15 : 0);
  const rows = y.ticks(ticks.y ?? Math.max(2, Math.floor(height / 60)));
  const shownRows = ticks.y === 0 ? [] : rows;
  const side = 12 + 6.4 * Math.max(0, ...shownRows.map((tick) => tick.label.length));
  const lower = 8 + (ticks.x === 0 ? 0 : 16) + (xLabel ? 15 : 0);
  const inner = [left + side, top + upper, Math.max(10, width - side - 16), Math.max(10, height - upper - lower)];
  if (equal) [x, y] = alike(x, y, inner[2] / inner[3]);
  const columns = ticks.x === 0 ? [] : x.ticks(ticks.x ?? Math.max(2, Math.floor(inner[2] / 75)));
  const plot = maps(painter, x, y, inner);
  drawTicks(painter, plot, columns, shownRows);
  const ink = colour("ink");
  const middle = inner[0] + inner[2];
  if (title) painter.text(left + 8, top + 18, title, { fill: ink, size: 13, weight: "600" });
  if (yLabel) painter.text(left + 8, top + upper - 6, yLabel, { fill: colour("soft"), size: 11 });
  if (xLabel) painter.text(middle, top + height - 6, xLabel, { fill: colour("soft"), size: 11, anchor: "end" });
  return plot;
}

/** Return a number as a label: 0.25, 1,200 as 1200, 10⁻⁶. */
export function label(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return scientific(value);
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/** Return text in lines of at most `width` pixels. */
export function broken(words, width, size = 12) {
  const most = Math.max(10, Math.floor(width / (0.54 * size)));
  const lines = [""];
  for (const word of words.split(/\s+/)) {
    const line = lines.at(-1);
    if (line && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

/** Write text in lines of at most `width` pixels from (x, y) on; return the y of a line below them. */
export function paragraph(painter, x, y, width, words, { fill = colour("soft"), size = 12, weight = "normal" } = {}) {
  const lines = broken(words, width, size);
  lines.forEach((line, k) => painter.text(x, y + 1.35 * size * k, line, { fill, size, weight }));
  return y + 1.35 * size * lines.length;
}

function maps(painter, x, y, inner) {
  const [left, top, width, height] = inner;
  const plot = {
    inner,
    x: (value) => left + width * x.place(value),
    y: (value) => top + height * (1 - y.place(value)),
  };
  plot.at = (a, b) => [plot.x(a), plot.y(b)];
  plot.within = (paint) => painter.clipped(left, top, width, height, paint);
  plot.line = (xs, ys, style) => painter.lines(unbroken(plot, xs, ys), style);
  return plot;
}

/** Return two linear scales, one of them widened around its middle, with as many units as their ratio of pixels. */
function alike(x, y, ratio) {
  const widened = ({ low, length }, to) => linear(low + 0.5 * (length - to), low + 0.5 * (length + to));
  return x.length < ratio * y.length ? [widened(x, ratio * y.length), y] : [x, widened(y, x.length / ratio)];
}

function unbroken(plot, xs, ys) {
  const lists = [[]];
  for (let k = 0; k < xs.length; k++) {
    const point = plot.at(xs[k], ys[k]);
    if (Number.isFinite(point[0]) && Number.isFinite(point[1])) lists.at(-1).push(point);
    else if (lists.at(-1).length) lists.push([]);
  }
  return lists.filter((list) => list.length > 1);
}

function drawTicks(painter, plot, columns, rows) {
  const [left, top, width, height] = plot.inner;
  const [right, bottom] = [left + width, top + height];
  const faint = colour("line");
  const grid = [
    ...columns.map((tick) => [[plot.x(tick.value), top], [plot.x(tick.value), bottom]]),
    ...rows.map((tick) => [[left, plot.y(tick.value)], [right, plot.y(tick.value)]]),
  ];
  if (grid.length) painter.lines(grid, { stroke: faint, width: 0.5, opacity: 0.6 });
  painter.rectangle(left, top, width, height, { stroke: faint, width: 1 });
  for (const { value, label } of columns)
    painter.text(plot.x(value), bottom + 14, label, { fill: colour("soft"), size: 11, anchor: "middle" });
  for (const { value, label } of rows)
    painter.text(left - 5, plot.y(value) + 4, label, { fill: colour("soft"), size: 11, anchor: "end" });
}

/** Return ends that differ, by `unit` on either side of a single value. */
function spread(low, high, unit) {
  return high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)) ? [low, high] : [low - unit / 2, high + unit / 2];
}

function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) {
    const value = Math.abs(k) < 0.5 ? 0 : k * step;
    ticks.push({ value, label: label(value) });
  }
  return ticks;
}

function logarithmicTicks(start, end, count) {
  const step = Math.max(1, Math.ceil((end - start) / Math.max(1, count)));
  const ticks = [];
  for (let power = step * Math.ceil(start / step - 1e-9); power <= end + 1e-9; power += step)
    ticks.push({ value: 10 ** power, label: power >= -3 && power < 4 ? label(10 ** power) : scientific(10 ** power) });
  if (ticks.length >= 2) return ticks;
  return linearTicks(10 ** start, 10 ** end, count).filter((tick) => tick.value > 0);
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function scientific(value) {
  const [digits, power] = Number(value.toPrecision(3)).toExponential().split("e");
  const raised = [...String(Number(power))].map((each) => RAISED[each]).join("");
  const sign = digits.startsWith("-") ? "−" : "";
  const front = digits.replace("-", "");
  return front === "1" ? `${sign}10${raised}` : `${sign}${front}·10${raised}`;
}
