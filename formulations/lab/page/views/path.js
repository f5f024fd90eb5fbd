// SPDX-License-Identifier: BSD-3-Clause
// A path: the coefficients along a hyper-parameter, the number of support vectors below, and where the step is.

import { colour } from "../paint.js";
import { axes, extent, linear, logarithmic } from "./axes.js";
import { moment } from "./traces.js";

export function draw(painter, frame) {
  const { facts: { view }, arrays, setting } = frame;
  if (!arrays["view.values"]) return;
  const of = (name) => arrays[`view.${name}`].data;
  const ends = extent(of("values"));
  const x = view.scale === "log" ? logarithmic(...ends) : linear(...ends);
  const upper = 0.68 * painter.height;
  const above = axes(painter, [0, 0, painter.width, upper], {
    x, y: linear(...extent(of("curves")), 0.04), yLabel: view.share, ticks: { x: 0, y: 4 },
  });
  const below = axes(painter, [0, upper, painter.width, painter.height - upper], {
    x, y: linear(0, extent(of("counts"))[1], 0.08), xLabel: view.parameter, yLabel: "coefficients that are not 0",
    ticks: { y: 3 },
  });
  above.within(() => drawCurves(above, of, setting));
  below.within(() => below.line(of("values"), of("counts"), { stroke: colour("ink"), width: 1.5 }));
  for (const plot of [above, below]) moment(painter, plot, view.value, { stroke: colour("accent"), width: 2 });
}

function drawCurves(plot, of, setting) {
  const [places, curves, samples] = [of("places"), of("curves"), of("samples")];
  samples.forEach((sample, j) => {
    const values = Array.from(places, (_, k) => curves[k * samples.length + j]);
    const sign = setting.points[sample][2] ?? values.reduce((sum, each) => sum + each, 0);
    plot.line(places, values, { stroke: colour(sign > 0 ? "positive" : "negative"), width: 1, opacity: 0.7 });
  });
}
