// SPDX-License-Identifier: BSD-3-Clause
// The gap between primal and dual as a picture: two lines, as far apart as the logarithm of the relative gap, from 1
// down to 1e-12; between the marks of the tolerance the answer is proved.

import { CanvasPainter, colour } from "../paint.js";
import { element } from "./element.js";

const LEAST = -12;

/** The bar on its canvas. */
export class GapBar {
  constructor() {
    this.canvas = element("canvas", { class: "lab-gap", role: "img", "aria-label": "The gap between primal and dual" });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }

  /** Keep the size: to ask for it after numbers were written has the page laid out at once. */
  resize() {
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.draw();
  }

  show(gap, tol) {
    if (gap === this.gap && tol === this.tol) return;
    Object.assign(this, { gap, tol });
    this.draw();
  }

  draw() {
    const { width, height } = this;
    if (!width || this.tol === undefined) return;
    const painter = new CanvasPainter(this.canvas, width, height);
    const middle = height / 2;
    const half = (value) => 1.5 + (middle - 4) * share(value);
    const [apart, mark] = [half(this.gap ?? 1), half(this.tol)];
    const proved = this.gap !== null && this.gap <= this.tol;
    painter.rectangle(0, middle - apart, width, 2 * apart, { fill: colour(proved ? "good" : "warn"), opacity: 0.35 });
    const across = (y) => [[0, y], [width, y]];
    painter.lines([across(middle - mark), across(middle + mark)], { stroke: colour("soft"), width: 1, dash: [2, 3] });
    painter.lines([across(middle - apart), across(middle + apart)], { stroke: colour("ink"), width: 2 });
  }
}

/** Return where a gap lies between 1e-12 and 1 on a logarithmic scale. */
function share(gap) {
  return Math.min(Math.max(1 - Math.log10(Math.max(gap, 1e-300)) / LEAST, 0), 1);
}
