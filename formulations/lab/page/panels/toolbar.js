// SPDX-License-Identifier: BSD-3-Clause
// What a click on the plane does, and what is done to the whole of it.

import { modesOf } from "../plane/hand.js";
import { forHand } from "./words.js";
import { button, element, newId, say } from "./element.js";

/** The tools of a hand and its store; enlarged(isLecture) is told when the lab is to be shown large, and no longer. */
export class Toolbar {
  constructor(store, hand, enlarged) {
    Object.assign(this, { store, hand, enlarged, isLecture: false, group: newId("mode"), task: null });
    this.modes = element("div", { class: "lab-modes", role: "radiogroup", "aria-label": forHand("What a click does") });
    this.undo = button("\u21b6", "Undo (Ctrl-Z)", () => store.undo(), { class: "lab-icon" });
    this.redo = button("\u21b7", "Redo (Ctrl-Shift-Z)", () => store.redo(), { class: "lab-icon" });
    this.clear = button("Clear", "Delete all points", () => hand.clear());
    this.snap = button("Snap", "Snap points to a grid", () => {
      hand.snap();
      this.update();
    }, { "aria-pressed": "false" });
    this.large = button("Lecture", "Show the picture large, as for a lecture hall", () => this.lecture(!this.isLecture),
      { class: "lab-large", "aria-pressed": "false" });
    this.node = element("div", { class: "lab-toolbar", role: "toolbar", "aria-label": "Points and window" }, this.modes,
      element("span", { class: "lab-group", "data-of": "points" }, this.undo, this.redo, this.clear),
      element("span", { class: "lab-group", "data-of": "points" },
        button("+", "Zoom in", () => hand.zoom(0.8), { class: "lab-icon" }),
        button("\u2212", "Zoom out", () => hand.zoom(1.25), { class: "lab-icon" }),
        button("Fit", "Fit the window to the points", () => hand.fit()), this.snap), this.large);
  }

  lecture(isLecture) {
    this.isLecture = isLecture;
    this.enlarged(isLecture);
    this.large.setAttribute("aria-pressed", isLecture);
    say(this.large, isLecture ? "Leave" : "Lecture");
  }

  update() {
    if (this.task !== this.hand.task) this.build();
    this.task = this.hand.task;
    this.snap.setAttribute("aria-pressed", this.hand.snaps);
    this.undo.disabled = !this.store.past.length;
    this.redo.disabled = !this.store.future.length;
    this.clear.disabled = !this.store.setting.points.length;
  }

  build() {
    this.modes.replaceChildren(...modesOf(this.hand.task).map(({ name, title, words }) => {
      const radio = element("input", {
        type: "radio", name: this.group, value: name, checked: name === this.hand.mode,
        "aria-label": `${title}: ${forHand(words)}`, onchange: () => (this.hand.mode = name),
      });
      return element("label", { title: forHand(words), "data-mode": name }, radio, element("span", {}, title));
    }));
  }
}
