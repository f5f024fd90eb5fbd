// SPDX-License-Identifier: BSD-3-Clause
// What a click on the plane does, and what is done to the whole of it.

import { modesOf } from "../plane/hand.js";
import { button, element, newId } from "./element.js";

/** The tools of a hand and its store. */
export class Toolbar {
  constructor(store, hand) {
    Object.assign(this, { store, hand, group: newId("mode"), task: null });
    this.modes = element("div", { class: "lab-modes", role: "radiogroup", "aria-label": "What a click does" });
    this.undo = button("\u21b6", "Undo (Ctrl-Z)", () => store.undo(), { class: "lab-icon" });
    this.redo = button("\u21b7", "Redo (Ctrl-Shift-Z)", () => store.redo(), { class: "lab-icon" });
    this.clear = button("Clear", "Delete all points", () => hand.clear());
    this.snap = button("Snap", "Snap points to a grid", () => {
      hand.snap();
      this.update();
    }, { "aria-pressed": "false" });
    this.node = element("div", { class: "lab-toolbar", role: "toolbar", "aria-label": "Points and window" }, this.modes,
      element("span", { class: "lab-group" }, this.undo, this.redo, this.clear),
      element("span", { class: "lab-group" },
        button("+", "Zoom in", () => hand.zoom(0.8), { class: "lab-icon" }),
        button("\u2212", "Zoom out", () => hand.zoom(1.25), { class: "lab-icon" }),
        button("Fit", "Fit the window to the points", () => hand.fit()), this.snap));
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
        "aria-label": `${title}: ${words}`, onchange: () => (this.hand.mode = name),
      });
      return element("label", { title: words, "data-mode": name }, radio, element("span", {}, title));
    }));
  }
}
