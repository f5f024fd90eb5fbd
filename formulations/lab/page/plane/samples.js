// SPDX-License-Identifier: BSD-3-Clause
// The samples on a canvas of their own, over that of the answer: those that a frame changes are drawn again, and no more.

import { CanvasPainter, colour } from "../paint.js";
import { drawSamples, ofSamples } from "../picture.js";
import { element } from "../panels/element.js";
import { axesOf } from "./axes.js";
import { REACH } from "./marks.js";

/** Samples of which each has its surroundings drawn anew; of more, all are. */
const FEW = 20;

/** The canvas, and what is drawn on it. */
export class Samples {
  constructor() {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.drawn = { look: "", points: [], roles: null };
  }

  /** Draw the samples of a setting with the rings of its frame, on a plane so wide and high and so much larger. */
  draw(frame, setting, { width, height, larger }) {
    const before = this.drawn;
    const roles = ofSamples(frame, "roles", setting.points);
    this.drawn = { look: lookOf(setting, width, height), points: setting.points, roles };
    const changed = changes(before, this.drawn);
    if (changed === null || changed.length > FEW) {
      this.painter = new CanvasPainter(this.canvas, width, height, larger * window.devicePixelRatio);
      drawSamples(this.painter, frame, setting);
      return;
    }
    const axes = axesOf(setting.window, width, height);
    for (const i of changed) {
      const places = [before.points[i], setting.points[i]];
      const [xs, ys] = [places.map(([u]) => axes.x(u)), places.map(([, v]) => axes.y(v))];
      this.painter.again(
        Math.min(...xs) - REACH, Math.min(...ys) - REACH, Math.max(...xs) + REACH, Math.max(...ys) + REACH,
        (isSeen) => drawSamples(this.painter, frame, setting, isSeen));
    }
  }
}

/** Return all that samples look like, but for where they are. */
function lookOf(setting, width, height) {
  const colours = ["positive", "negative", "ink", "paper", "free", "bound", "soft"].map(colour);
  return [width, height, window.devicePixelRatio, setting.window, colours].join();
}

/** Return the numbers of the samples that have changed; null where everything has. */
function changes(before, after) {
  const isOther = before.look !== after.look || before.points.length !== after.points.length
    || !before.roles !== !after.roles;
  if (isOther) return null;
  return after.points.flatMap((point, i) =>
    point !== before.points[i] || after.roles?.[i] !== before.roles?.[i] ? [i] : []);
}
