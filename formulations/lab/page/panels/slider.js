// SPDX-License-Identifier: BSD-3-Clause
// A number of the menu: a slider on its scale, and beside it the number itself.

import { rounded } from "../state/setting.js";
import { element, newId, say } from "./element.js";

const NOTCHES = 1000;

/** A row for {name, words, low, high, scale}; changed(value, settled) is told what the user does. */
export class SliderRow {
  constructor(slider, value, changed) {
    this.slider = slider;
    const { name, words, low, high, scale } = slider;
    const id = newId(name);
    const whole = scale === "integer";
    this.range = element("input", {
      type: "range", id, "aria-label": `${name}: ${words}`,
      ...(whole ? { min: low, max: high, step: 1 } : { max: NOTCHES }), oninput: () => this.slid(changed), onchange: () => changed(this.value, true),
    });
    this.number = element("input", {
      type: "number", "aria-label": `${name} as a number`, min: low, max: high, step: whole ? 1 : "any",
      oninput: () => this.said.textContent && this.judge(this.number.valueAsNumber), onchange: () => this.typed(changed),
      "aria-describedby": `${id}-said`,
    });
    this.said = element("p", { id: `${id}-said`, "aria-live": "polite" });
    this.seen = element("p", { class: "lab-seen" });
    this.node = element("div", { class: "lab-slider" },
      element("label", { for: id }, element("b", {}, name), " ", element("small", {}, words)), this.range, this.number,
      this.said, this.seen);
    this.set(value);
  }

  /** Show a value: also one that a link has and the server refuses. */
  set(value) {
    if (value === this.value) return;
    this.value = value;
    this.range.value = this.notch(value);
    this.range.setAttribute("aria-valuetext", String(value));
    if (Number(this.number.value) !== value || this.number.value === "") this.number.value = shown(value);
    this.judge(value);
  }

  /** Say that the picture is that of another value; nothing of null. */
  note(value) {
    const words = value === null ? "" : `The picture shows ${this.slider.name} = ${shown(value)}, a step of the path.`;
    say(this.seen, words);
  }

  slid(changed) {
    this.set(this.valueAt(Number(this.range.value)));
    changed(this.value, false);
  }

  /** Take a number that was typed; one that is refused stays there to be corrected, with what is wrong beside it. */
  typed(changed) {
    const typed = this.number.valueAsNumber;
    if (!this.judge(typed)) return;
    this.set(typed);
    this.number.value = shown(typed);
    changed(typed, true);
  }

  /** Say beside a number what is wrong with it, and return whether nothing is. */
  judge(value) {
    const { name, low, high, scale } = this.slider;
    const good = value >= low && value <= high && (scale !== "integer" || Number.isInteger(value));
    const kind = scale === "integer" ? "a whole number" : "a number";
    const holds = value === this.value ? "" : `; it stays ${shown(this.value)}`;
    say(this.said, good ? "" : `${name} must be ${kind} from ${low} to ${high}${holds}.`);
    this.number.setAttribute("aria-invalid", !good);
    return good;
  }

  notch(value) {
    const { low, high, scale } = this.slider;
    if (scale === "integer") return value;
    const share = scale === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return NOTCHES * share;
  }

  valueAt(notch) {
    const { low, high, scale } = this.slider;
    if (scale === "integer") return notch;
    const share = notch / NOTCHES;
    const value = scale === "log" ? low * (high / low) ** share : low + share * (high - low);
    return Math.min(Math.max(Number(value.toPrecision(3)), low), high);
  }
}

function shown(value) {
  return String(rounded(value));
}
