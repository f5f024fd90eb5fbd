// SPDX-License-Identifier: BSD-3-Clause
// Where there is no room for all panels beside the picture, one group of them at a time: on a phone below the picture,
// which stays where it is, and in a lecture beside it.

import { element } from "./element.js";

const GROUPS = [
  ["machine", "Machine"], ["stories", "Stories"], ["points", "Points"], ["test", "Test"], ["views", "Views"], ["proof", "Proof"],
];
/** Pixels of width below which the panels are in groups. */
const NARROW = 860;

/** The bar of the groups below a root, whose panels have their group as data-of; placed(isGrouped) is told when that
 * changes. */
export class Sheet {
  constructor(root, placed) {
    Object.assign(this, { root, placed, group: "machine", isLecture: false });
    this.buttons = GROUPS.map(([name, title]) => element("button", { type: "button", "data-group": name,
      onclick: () => this.choose(name) }, title));
    this.node = element("nav", { class: "lab-sheet", "aria-label": "Panels", hidden: true }, this.buttons);
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(root);
  }

  choose(name) {
    this.group = name;
    this.fit();
  }

  /** Show the panels as a lecture hall needs them, or no longer. */
  lecture(isLecture) {
    this.isLecture = isLecture;
    if (isLecture) this.group = "proof";
    this.fit();
  }

  /** Show the panels of the chosen group, or all of them where there is room. */
  fit() {
    const { classList, clientWidth } = this.root;
    const isGrouped = this.isLecture || (clientWidth < NARROW && !classList.contains("lab-compact"));
    if (isGrouped !== classList.contains("lab-grouped")) this.placed(isGrouped);
    classList.toggle("lab-grouped", isGrouped);
    classList.toggle("lab-lecture", this.isLecture);
    this.node.hidden = !isGrouped;
    for (const button of this.buttons) {
      const { group } = button.dataset;
      button.setAttribute("aria-pressed", group === this.group);
      button.hidden = !this.root.querySelector(`[data-of="${group}"]:not([hidden])`);
    }
    for (const panel of this.root.querySelectorAll("[data-of]")) {
      panel.classList.toggle("lab-away", isGrouped && panel.dataset.of !== this.group);
    }
  }

  end() {
    this.sizes.disconnect();
  }
}
