// SPDX-License-Identifier: BSD-3-Clause
// The kernel matrix as an image, and its eigenvalues on a logarithmic axis.

import { colour } from "../paint.js";
import { channels } from "../plane/field.js";
import { axes, extent, label, linear, logarithmic, panels } from "./axes.js";
import { level, moment } from "./traces.js";

export function draw(painter, frame) {
  const { facts: { view }, arrays } = frame;
  if (!arrays["view.matrix"]) return;
  const [left, right] = panels(painter, 2);
  drawMatrix(painter, left, arrays["view.matrix"], view);
  drawSpectrum(painter, right, arrays["view.eigenvalues"].data, view);
}

function drawMatrix(painter, [x, y, width, height], { data, shape: [n] }, view) {
  const [top, lower] = [26, view.note ? 20 : 6];
  const side = Math.max(20, Math.min(width - 16, height - top - lower));
  const [at, down] = [x + 8, y + top];
  const title = { fill: colour("ink"), size: 13, weight: "600" };
  painter.text(at, y + 18, `K: values up to ${label(extent(data)[1])}`, title);
  painter.image(pixels(data, n), at, down, side, side, false);
  painter.rectangle(at, down, side, side, { stroke: colour("line") });
  if (view.classes > 0 && view.classes < n) {
    const edge = (side * view.classes) / n;
    const cross = [[[at + edge, down], [at + edge, down + side]], [[at, down + edge], [at + side, down + edge]]];
    painter.lines(cross, { stroke: colour("ink"), width: 1, dash: [4, 3] });
  }
  if (view.note) painter.text(at, down + side + 14, view.note, { fill: colour("soft"), size: 11 });
}

/** Colours from paper at 0 to those of the classes at the largest value of either sign. */
function pixels(data, n) {
  const [paper, positive, negative] = ["paper", "positive", "negative"].map((name) => channels(colour(name)));
  const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const image = new ImageData(n, n);
  data.forEach((value, k) => {
    const [share, hue] = [Math.abs(value) / largest, value < 0 ? negative : positive];
    hue.forEach((channel, c) => (image.data[4 * k + c] = paper[c] + share * (channel - paper[c])));
    image.data[4 * k + 3] = 255;
  });
  return image;
}

function drawSpectrum(painter, box, eigenvalues, view) {
  const sizes = eigenvalues.map(Math.abs);
  const least = 0.3 * (view.rounding || 1e-16);
  const plot = axes(painter, box, {
    x: linear(0, eigenvalues.length + 1), y: logarithmic(least, extent(sizes)[1] || 1, 0.04),
    title: `Spectrum: effective rank ${label(view.effective_rank)}`,
    yLabel: `eigenvalues; the smallest is ${label(view.smallest)}`, xLabel: "number", ticks: { x: 4, y: 5 },
  });
  plot.within(() => {
    level(painter, plot, view.rounding, "rounding", { stroke: colour("soft"), width: 1, dash: [2, 3] });
    moment(painter, plot, view.effective_rank, { stroke: colour("accent"), width: 1.5, dash: [5, 3] });
    const dots = (isNegative) => Array.from(sizes).flatMap((size, k) =>
      (eigenvalues[k] < 0) === isNegative ? [[...plot.at(k + 1, Math.max(size, least)), 2.2]] : []);
    painter.circles(dots(false), { fill: colour("positive") });
    painter.circles(dots(true), { fill: colour("negative") });
  });
}
