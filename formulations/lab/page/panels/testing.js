// SPDX-License-Identifier: BSD-3-Clause
// Points that are held out, and the errors of the machine there: at its present values, and over its first one and over
// that of its kernel, as curves.

import { CanvasPainter, colour } from "../paint.js";
import { machineNumbers, shown } from "../state/reading.js";
import { machineOf } from "../state/setting.js";
import { axes, linear, logarithmic, panels } from "../views/axes.js";
import { legend, moment } from "../views/traces.js";
import { element, say, select } from "./element.js";

const SHARES = [["0", "No point"], ["0.2", "A fifth of the points"], ["0.3", "Three in ten"], ["0.5", "Half of the points"]];
const PLACES = 15;
/** The range of a curve: so many times less and more than the present value, within what the slider has. */
const REACH = 1000;

/** The panel; held is told the share, and solve(setting) promises a frame, or is null where there is no such thing. */
export class Testing {
  constructor(menu, store, held, solve) {
    Object.assign(this, { menu, store, held, solve, curves: [], run: 0 });
    this.share = select("Points that are held out", SHARES, "0", (share) => this.hold(Number(share)));
    this.said = element("p", { role: "status" });
    this.canvas = element("canvas", { class: "lab-curves", role: "img", hidden: true, onclick: (event) => this.clicked(event),
      "aria-label": "Errors at the points that are held out, over the values of the machine" });
    this.node = element("fieldset", { class: "lab-testing" }, element("legend", {}, "Held-out points"), this.share, this.said,
      this.canvas);
    // It may have been out of sight, where nothing is computed.
    new ResizeObserver(() => {
      if (this.frame) this.look(this.frame);
      this.draw();
    }).observe(this.canvas);
  }

  /** Hold out a share of the points, drawn hollow: the machine is fitted to the others. */
  hold(share) {
    this.held.share = share;
    this.store.change({}, { undoable: false });
  }

  /** Hold out none: a story is about all of its points. */
  none() {
    if (!this.held.share) return;
    this.share.value = "0";
    this.hold(0);
  }

  /** Look at a frame that stands still. */
  look(frame) {
    this.frame = frame;
    const choice = machineOf(this.menu, frame.setting);
    const { tests, held, deviationHeld } = machineNumbers(frame, choice);
    const isTested = held > 0 && frame.arrays.multipliers !== undefined && (tests !== undefined || deviationHeld !== undefined);
    say(this.said, !this.held.share ? "" : !isTested ? "This machine says nothing of points that are held out." : tests === undefined
      ? `The root of the mean squared residual at ${held} held-out points is ${shown(deviationHeld, 4)}.`
      : `${tests} of ${held} held-out points are on the wrong side.`);
    this.canvas.hidden = !isTested || this.solve === null;
    if (this.canvas.hidden || !this.canvas.checkVisibility()) return;
    const key = JSON.stringify([frame.setting.machine, frame.setting.kernel, frame.setting.points, this.held.share]);
    if (key !== this.key) this.compute(frame.setting, choice);
    this.key = key;
  }

  /** Solve for the values of each curve, those near the present one first. */
  async compute(setting, choice) {
    const run = ++this.run;
    const isOld = () => run !== this.run;
    this.curves = this.curvesOf(setting, choice);
    for (const curve of this.curves) {
      for (const point of curve.points) {
        let frame;
        try {
          frame = this.held.whole(await this.solve(this.held.fitted(curve.at(point.value))));
        } catch (error) {
          if (!isOld()) say(this.said, `The curves end here: ${error.message}`);
          return;
        }
        if (isOld()) return;
        const { errors, tests, held, deviation, deviationHeld } = machineNumbers(frame, choice);
        const fitted = frame.setting.points.length - held;
        point.training = deviation ?? errors / fitted;
        point.test = deviationHeld ?? tests / held;
      }
      this.draw();
    }
  }

  /** Return what the curves are over: the first value of the machine, and of its kernel. */
  curvesOf(setting, { sliders }) {
    const [term, ...rest] = setting.kernel;
    const ofKernel = this.menu.kernels.find(({ name }) => name === term.name).sliders;
    const { machine } = setting;
    return [
      sliders[0] && this.curve(sliders[0], machine.values, (values) => ({ ...setting, machine: { ...machine, values } }),
        (values) => ({ machine: { ...machine, values } })),
      ofKernel[0] && this.curve(ofKernel[0], term.values, (values) => ({ ...setting, kernel: [{ ...term, values }, ...rest] }),
        (values) => ({ kernel: [{ ...term, values }, ...rest] })),
    ].filter(Boolean);
  }

  curve({ name, low, high, scale }, values, at, parts) {
    const present = values[name];
    const with_ = (value) => ({ ...values, [name]: value });
    const [from, to] = scale === "log" ? [Math.max(low, present / REACH), Math.min(high, present * REACH)] : [low, high];
    const places = scale === "integer"
      ? Array.from({ length: to - from + 1 }, (_, k) => from + k)
      : Array.from({ length: PLACES }, (_, k) => {
        const share = k / (PLACES - 1);
        return Number((scale === "log" ? from * (to / from) ** share : from + share * (to - from)).toPrecision(4));
      });
    return { name, present, scale, at: (value) => at(with_(value)), parts: (value) => parts(with_(value)),
      points: places.map((value) => ({ value })) };
  }

  draw() {
    const { clientWidth, clientHeight } = this.canvas;
    const drawn = this.curves.filter(({ points }) => points.every(({ test }) => test !== undefined));
    this.plots = [];
    if (!clientWidth || !drawn.length) return;
    const painter = new CanvasPainter(this.canvas, clientWidth, clientHeight);
    const boxes = panels(painter, this.curves.length);
    this.plots = drawn.map((curve, k) => ({ curve, plot: this.drawCurve(painter, boxes[k], curve) }));
  }

  drawCurve(painter, box, { name, present, scale, points }) {
    const values = points.map(({ value }) => value);
    const ends = [values[0], values.at(-1)];
    const [test, training] = [points.map((each) => each.test), points.map((each) => each.training)];
    const most = Math.max(...test, ...training, 1e-9);
    const plot = axes(painter, box, {
      x: scale === "log" ? logarithmic(...ends) : linear(...ends), y: linear(0, 1.15 * most), xLabel: name, yLabel: "error",
      ticks: { y: 4 },
    });
    plot.within(() => {
      plot.line(values, training, { stroke: colour("soft"), width: 1.5, dash: [5, 4] });
      plot.line(values, test, { stroke: colour("accent"), width: 2.25 });
      values.forEach((value, k) => painter.circle(...plot.at(value, test[k]), 2.5, { fill: colour("accent") }));
    });
    moment(painter, plot, present);
    legend(painter, plot, [["held out", colour("accent")], ["fitted", colour("soft")]]);
    return plot;
  }

  /** Take the value of a curve that was clicked. */
  clicked({ offsetX, offsetY }) {
    const at = this.plots.find(({ plot: { inner: [x, y, width, height] } }) =>
      offsetX >= x && offsetX <= x + width && offsetY >= y && offsetY <= y + height);
    if (!at) return;
    const { curve, plot } = at;
    const nearest = curve.points.reduce((best, each) =>
      (Math.abs(plot.x(each.value) - offsetX) < Math.abs(plot.x(best.value) - offsetX) ? each : best));
    this.store.change(curve.parts(nearest.value));
  }
}
