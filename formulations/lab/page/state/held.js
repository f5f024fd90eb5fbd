// SPDX-License-Identifier: BSD-3-Clause
// Points that are held out: they are drawn, but the machine is fitted to the others. Which of them are is a matter of
// their numbers alone, so that a point that is added or moved changes none of the others.

import { Kernel } from "../solver/kernels.js";

/** The role of a point that is held out, among those of plane/marks.js. */
export const HELD = -1;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The points that are held out, as a share of all. */
export class Held {
  constructor() {
    this.share = 0;
    this.parts = new WeakMap();
    this.wholes = new WeakMap();
  }

  /** Whether a point is held out: multiples of the golden ratio are spread evenly over any run of numbers. */
  has(i) {
    return ((i + 1) * GOLDEN) % 1 < this.share;
  }

  /** Return the setting that the machine is fitted to. */
  fitted(setting) {
    if (!this.share) return setting;
    const known = this.parts.get(setting);
    if (known?.share === this.share) return known.part;
    const numbers = [...setting.points.keys()].filter((i) => !this.has(i));
    const part = { ...setting, points: numbers.map((i) => setting.points[i]) };
    this.parts.set(setting, { share: this.share, part });
    this.wholes.set(part, { setting, numbers });
    return part;
  }

  /** Return the frame of a setting of what was fitted, as one of all points; fitted has the setting and the numbers of
   * the points that were. */
  whole(frame) {
    const fitted = this.wholes.get(frame.setting);
    if (!fitted) return frame;
    const { setting, numbers } = fitted;
    const arrays = { ...frame.arrays };
    for (const [name, rest] of [["multipliers", 0], ["roles", HELD], ["slacks", 0], ["decision", NaN]]) {
      if (!arrays[name]) continue;
      const data = new Float32Array(setting.points.length).fill(rest);
      numbers.forEach((i, k) => (data[i] = arrays[name].data[k]));
      arrays[name] = { data, shape: [data.length] };
    }
    if (arrays.decision && arrays.multipliers) this.predict(frame, setting, arrays.decision.data);
    const view = { ...frame.facts.view, marked: (frame.facts.view?.marked ?? []).map((k) => numbers[k]) };
    return { ...frame, setting, arrays, facts: { ...frame.facts, view }, fitted: { setting: frame.setting, numbers } };
  }

  /** Write the decision values of the points that are held out. */
  predict({ arrays: { multipliers }, setting: { points, kernel }, facts: { intercept } }, setting, decision) {
    const isPlane = setting.points[0].length === 3;
    const support = [...points.keys()].filter((k) => multipliers.data[k] !== 0);
    const of = (value) => Float64Array.from(support, value);
    const expansion = { x: of((k) => points[k][0]), y: of((k) => (isPlane ? points[k][1] : 0)),
      weights: of((k) => multipliers.data[k]) };
    const sum = new Kernel(kernel);
    setting.points.forEach(([u, v], i) => {
      if (!this.has(i)) return;
      const place = { us: Float64Array.of(u), vs: Float64Array.of(isPlane ? v : 0) };
      [decision[i]] = sum.field(place, expansion, intercept);
    });
  }
}
