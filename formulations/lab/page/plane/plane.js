// SPDX-License-Identifier: BSD-3-Clause
// The picture, and over it the points that pointer and keyboard act on.

import { CanvasPainter } from "../paint.js";
import { drawAnswer } from "../picture.js";
import { element, newId, say } from "../panels/element.js";
import { rounded } from "../state/setting.js";
import { numeral, spoken } from "./edits.js";
import { HELP, listenToKeys } from "./keys.js";
import { Pointing } from "./pointing.js";
import { Samples } from "./samples.js";

const PATIENCE = 50;

/** The plane of a store and a hand; hovered(i) is told which point the pointer is over. */
export class Plane {
  constructor(store, hand, hovered) {
    Object.assign(this, { store, hand, hovered, frame: null, width: 0, height: 0, larger: 1 });
    this.canvas = element("canvas", { role: "img", "aria-label": "The picture of the machine" });
    this.samples = new Samples();
    const [help, option] = [newId("help"), newId("point")];
    this.option = element("div", { id: option, role: "option", "aria-selected": "true", class: "lab-hidden" });
    this.over = element("div", {
      class: "lab-over", role: "listbox", tabindex: "0", "aria-label": "Points", "aria-describedby": help,
    }, this.option);
    this.node = element("div", { class: "lab-plane" }, this.canvas, this.samples.canvas, this.over,
      element("p", { id: help, class: "lab-hidden" }, HELP));
    new Pointing(this.over, this);
    listenToKeys(this.over, store, hand);
    this.over.addEventListener("focus", () => this.looked());
    new ResizeObserver(() => this.resize()).observe(this.node);
  }

  resize() {
    const [width, height] = [this.node.clientWidth, this.node.clientHeight].map((each) => each / this.larger);
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.draw();
  }

  /** Draw everything so many times larger. */
  enlarge(larger) {
    this.larger = larger;
    this.resize();
  }

  /** Draw at once. */
  draw() {
    window.clearTimeout(this.late);
    this.late = null;
    if (!this.width || !this.store.setting) return;
    const painter = new CanvasPainter(this.canvas, this.width, this.height, this.larger * window.devicePixelRatio);
    drawAnswer(painter, this.frame, this.store.setting, this.hand);
    this.samples.draw(this.frame, this.store.setting, this);
  }

  /** Draw the points where they are now, unless their frame comes soon. */
  drawSoon() {
    this.late ??= window.setTimeout(() => this.draw(), PATIENCE);
  }

  show(frame) {
    this.frame = frame;
    this.draw();
  }

  /** Say in words what the picture shows of a machine. */
  describe(title) {
    const { points } = this.store.setting;
    const classes = points[0]?.length === 3
      ? `, ${points.filter((point) => point[2] > 0).length} of class +1 as discs, the others of class \u22121 as squares`
      : "";
    const roles = this.frame?.arrays.roles;
    const chosen = roles ? roles.data.reduce((sum, role) => sum + (role > 0), 0) : 0;
    const { field, curve } = this.frame?.arrays ?? {};
    const shown = field ? "the decision values as colours" : curve ? "the curve" : "";
    const words = [`${title}: ${points.length} points${classes}`, shown, roles && `${chosen} of the points with rings`];
    this.canvas.setAttribute("aria-label", `${words.filter(Boolean).join("; ")}.`);
  }

  /** What is chosen has changed. */
  looked() {
    const { selected, cross, points } = this.hand;
    const words = selected !== null ? spoken(points, selected)
      : cross ? `Cross at ${cross.map(numeral).join(", ")}; Enter adds a point` : "No point is chosen";
    say(this.option, words);
    this.option.setAttribute("aria-setsize", points.length);
    this.option.setAttribute("aria-posinset", (selected ?? 0) + 1);
    this.over.setAttribute("aria-activedescendant", this.option.id);
    this.drawSoon();
  }

  /** Return the value of the curve of a regression; null where there is none. */
  curveAt(u) {
    const curve = this.frame?.arrays.curve?.data;
    if (!curve) return null;
    const [left, right] = this.frame.setting.window;
    const at = Math.round(((u - left) / (right - left)) * (curve.length - 1));
    return curve[Math.min(Math.max(at, 0), curve.length - 1)];
  }

  setEpsilon(width, stamp) {
    const { machine } = this.store.setting;
    const { low, high } = this.slider("epsilon");
    const epsilon = rounded(Math.min(Math.max(width, low), high));
    const values = { ...machine.values, epsilon };
    this.store.change({ machine: { ...machine, values } }, { gesture: "tube", stamp });
  }
}
