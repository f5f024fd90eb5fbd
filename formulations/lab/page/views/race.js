// SPDX-License-Identifier: BSD-3-Clause
// The race: what the certificate leaves open of each solver's iterates, against the solver's time.

import { colour } from "../paint.js";
import { axes, logarithmic } from "./axes.js";
import { level, moment, positives } from "./traces.js";

const LEAST = 1e-13;
const STYLES = [["positive", []], ["negative", [8, 3]], ["accent", [3, 3]]];

export function draw(painter, frame) {
  const { arrays, facts: { view } } = frame;
  if (!arrays["view.errors"]) return;
  const [seconds, errors] = ["seconds", "errors"].map((name) => arrays[`view.${name}`].data);
  const [from, to] = positives(1e-9, seconds);
  const [low, high] = positives(LEAST, errors);
  const plot = axes(painter, [0, 0, painter.width, painter.height], {
    x: logarithmic(0.8 * from, to * (to / from) ** 0.25), y: logarithmic(Math.min(low, view.tol / 3), high, 0.04),
    title: "What the certificate leaves open", xLabel: "seconds of the solver",
    yLabel: "the largest of relative gap and residuals",
  });
  level(painter, plot, view.tol, "proved below");
  moment(painter, plot, view.now);
  let start = 0;
  view.entrants.forEach(({ name, marks, proved }, k) => {
    const part = (values) => values.subarray(start, start + marks);
    drawEntrant(painter, plot, { name, proved, seconds: part(seconds), errors: part(errors) }, view.now, STYLES[k]);
    start += marks;
  });
}

/** A curve with a dot for each iterate that has come; where it is first proved the dot is large. */
function drawEntrant(painter, plot, { name, seconds, errors, proved }, now, [shade, dash]) {
  const stroke = colour(shade);
  const shown = errors.map((error) => Math.max(error, LEAST));
  // Seconds came in float32.
  const come = seconds.filter((time) => time <= now * (1 + 1e-6)).length;
  plot.line(seconds, shown, { stroke, width: 1, dash, opacity: 0.4 });
  plot.line(seconds.slice(0, come), shown.slice(0, come), { stroke, width: 2, dash });
  for (let k = 0; k < come; k++) {
    const [x, y] = plot.at(seconds[k], shown[k]);
    if (Number.isFinite(y)) painter.circle(x, y, k === proved ? 6 : 2.5, { fill: stroke });
  }
  const last = shown.findLastIndex(Number.isFinite);
  if (last < 0) return;
  const [x, y] = plot.at(seconds[last], shown[last]);
  painter.text(x + 8, Math.max(y, plot.inner[1] + 12) + 4, name, { fill: stroke, size: 12, weight: "600" });
}
