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
      onchange: () => this.typed(changed), "aria-describedby": `${id}-said`,
    });
    this.said = element("p", { id: `${id}-said`, "aria-live": "polite" });
    this.node = element("div", { class: "lab-slider" },
      element("label", { for: id }, element("b", {}, name), " ", element("small", {}, words)), this.range, this.number,
      this.said);
    this.set(value);
  }

  /** Show a value. */
  set(value) {
    if (value === this.value) return;
    this.value = value;
    say(this.said, "");
    this.range.value = this.notch(value);
    this.range.setAttribute("aria-valuetext", String(value));
    if (Number(this.number.value) !== value || this.number.value === "") this.number.value = shown(value);
  }

  slid(changed) {
    this.set(this.valueAt(Number(this.range.value)));
    changed(this.value, false);
  }

  /** Take a number that was typed, or say why the one that holds stays. */
  typed(changed) {
    const typed = this.number.valueAsNumber;
    const fault = this.fault(typed);
    say(this.said, fault && `${fault}; ${this.slider.name} stays ${shown(this.value)}.`);
    if (!fault) this.set(typed);
    this.number.value = shown(this.value);
    if (!fault) changed(this.value, true);
  }

  /** Return what is wrong with a number, "" where nothing is. */
  fault(value) {
    const { low, high, scale } = this.slider;
    if (!Number.isFinite(value)) return `A number from ${low} to ${high} is wanted`;
    if (value < low) return `The smallest value is ${low}`;
    if (value > high) return `The largest value is ${high}`;
    return scale === "integer" && !Number.isInteger(value) ? "Whole numbers only" : "";
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
