// SPDX-License-Identifier: BSD-3-Clause
// A frame as stories ask about it.

import { machineNumbers, sampleColumns, shown } from "../state/reading.js";

const [FREE, AT_BOUND] = [1, 2];

/** The numbers of a machine, as in state/reading.js, and those of its samples. */
export class Answer {
  constructor(frame, choice) {
    const { facts, arrays, setting } = frame;
    Object.assign(this, machineNumbers(frame, choice), { frame, setting, roles: arrays.roles?.data ?? [] });
    this.numbers = [...setting.points.keys()];
    this.isProved = facts.proof?.status === "optimal";
    const column = (name) => sampleColumns(frame, choice).find((each) => each.name === name)?.value;
    [this.alpha, this.margin] = [column("alpha") ?? column("beta"), column("margin")];
  }

  role(i) {
    return this.roles[i];
  }

  count(role) {
    return this.roles.reduce((sum, each) => sum + (each === role), 0);
  }

  get free() {
    return this.count(FREE);
  }

  get bounded() {
    return this.count(AT_BOUND);
  }

  get support() {
    return this.free + this.bounded;
  }

  /** The w of a linear kernel. */
  get inWords() {
    return `(${this.w.map((each) => shown(each, 4)).join(", ")})`;
  }
}
