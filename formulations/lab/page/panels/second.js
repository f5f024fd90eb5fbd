// SPDX-License-Identifier: BSD-3-Clause
// A second machine on the same points, beside the first: its picture, in which they can be moved as well, its proof in a
// line, its numbers and its controls.

import { Plane } from "../plane/plane.js";
import { numbersInWords } from "../state/reading.js";
import { machineOf } from "../state/setting.js";
import { Conversation } from "../wire/conversation.js";
import { Controls } from "./controls.js";
import { element } from "./element.js";
import { Proof, showTerms } from "./proof.js";

const PICTURE = { name: "picture", step: 0 };

/** A store that has points and window in common with another, and a machine of its own. */
class Companion {
  constructor(main, changed) {
    const { machine, kernel } = main.setting;
    Object.assign(this, { main, changed, own: { machine, kernel, view: PICTURE } });
  }

  /** The setting; the same object for as long as nothing has changed. */
  get setting() {
    if (this.of !== this.main.setting) {
      this.of = this.main.setting;
      this.made = { ...this.of, ...this.own };
    }
    return this.made;
  }

  change({ machine = this.own.machine, kernel = this.own.kernel, points, window }, how) {
    this.own = { machine, kernel, view: PICTURE };
    this.of = null;
    if (points) this.main.change({ points }, how);
    else if (window) this.main.change({ window }, how);
    else this.changed();
  }

  settle() {
    this.main.settle();
  }
}

/** The second machine: hand and store are those of the first, held as in state/held.js, connect as in wire/socket.js. */
export class Second {
  constructor(menu, store, hand, held, connect) {
    Object.assign(this, { menu, held });
    this.store = new Companion(store, () => this.update());
    this.task = machineOf(menu, store.setting).task;
    this.plane = new Plane(this.store, hand, () => {});
    this.plane.slider = (name) => machineOf(menu, this.store.setting).sliders.find((each) => each.name === name);
    const machines = menu.machines.filter(({ task }) => task === this.task);
    this.controls = new Controls({ ...menu, machines, presets: [] }, this.store);
    this.proof = new Proof();
    this.numbers = element("dl", { class: "lab-numbers" });
    this.node = element("section", { class: "lab-second", "aria-label": "The second machine" }, this.plane.node,
      this.proof.status, this.controls.node, this.numbers);
    this.conversation = new Conversation(connect, {
      menu: () => this.update(),
      setting: () => {},
      notice: (words) => this.proof.tell("waiting", words),
      frame: (frame) => this.show(held.whole(frame)),
      refused: (words) => this.proof.tell("error", `Not understood: ${words}`),
      closed: (words) => this.proof.tell("gone", words),
    });
  }

  /** The points, or this machine, have changed. */
  update() {
    this.controls.update(this.store.setting);
    this.plane.drawSoon();
    this.conversation.show(this.held.fitted(this.store.setting), null);
  }

  show(frame) {
    const choice = machineOf(this.menu, frame.setting);
    this.plane.show(frame);
    this.plane.describe(choice.title);
    this.proof.show(frame, choice);
    const support = frame.arrays.roles?.data.reduce((sum, role) => sum + (role > 0), 0);
    showTerms(this.numbers, [...(support === undefined ? [] : [["support vectors", support]]), ...numbersInWords(frame, choice)]);
  }

  end() {
    this.conversation.transport.close();
  }
}
