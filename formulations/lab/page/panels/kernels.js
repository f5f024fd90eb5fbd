// SPDX-License-Identifier: BSD-3-Clause
// The terms of the kernel: up to four, each with its sliders; the width of a Gaussian by any of its names.

import { chosen, inPlace, MOST_TERMS } from "../state/setting.js";
import { button, element, select } from "./element.js";
import { SliderRow } from "./slider.js";

const EXPONENTS = {
  gamma: "exp(\u2212gamma |x \u2212 z|\u00b2)",
  sigma: "exp(\u2212|x \u2212 z|\u00b2 / (2 sigma\u00b2))",
  c: "exp(\u2212|x \u2212 z|\u00b2 / c\u00b2)",
  theta: "exp(\u2212theta |x \u2212 z|\u00b2 / 2)",
};

/** The terms; they change the store. */
export class Kernels {
  constructor(menu, store) {
    Object.assign(this, { menu, store, width: "gamma", terms: [], names: null });
    this.list = element("div", { class: "lab-terms" });
    this.more = button("+ add a kernel", "Add a kernel to the sum", () => this.add(), { class: "lab-add" });
    this.node = element("fieldset", {}, element("legend", {}, "Kernel"), this.list, this.more);
  }

  /** Show the terms of a setting. */
  update({ kernel }) {
    const names = kernel.map(({ name }) => name).join();
    if (names !== this.names) this.build(kernel);
    this.names = names;
    kernel.forEach((term, k) => this.terms[k].forEach((show) => show(term.values)));
  }

  build(kernel) {
    this.list.replaceChildren();
    this.terms = kernel.map((term, k) => this.term(term, k, kernel.length));
    this.more.hidden = kernel.length >= MOST_TERMS;
  }

  /** Build one term, and return what shows its values. */
  term(term, k, count) {
    const options = this.menu.kernels.map(({ name, title }) => [name, title]);
    const which = select(count > 1 ? `Kernel ${k + 1}` : "Kernel", options, term.name, (name) => this.choose(k, name));
    const remove = button("\u00d7", `Remove kernel ${k + 1}`, () => this.remove(k), { class: "lab-icon" });
    const head = element("div", { class: "lab-row" }, k ? element("span", { "aria-hidden": "true" }, "+") : [], which,
      count > 1 ? remove : []);
    const box = element("div", { class: "lab-term", role: "group", "aria-label": `Term ${k + 1} of the sum` }, head);
    this.list.append(box);
    const choice = this.menu.kernels.find(({ name }) => name === term.name);
    if (term.name === "rbf") return [this.gaussian(box, choice.sliders[0], term.values, k)];
    return choice.sliders.map((slider) => {
      const row = new SliderRow(slider, term.values[slider.name], this.changes(k, slider.name, (value) => value));
      box.append(row.node);
      return (values) => row.set(values[slider.name]);
    });
  }

  /** Build the width of a Gaussian, gamma = a value^p, and return what shows it. */
  gaussian(box, slider, values, k) {
    const [a, p] = this.menu.parametrisations[this.width];
    const named = (gamma) => Number(((gamma / a) ** (1 / p)).toPrecision(6));
    const [low, high] = [named(slider.low), named(slider.high)].sort((one, other) => one - other);
    const words = p > 0 ? "larger is narrower" : "larger is wider";
    const toGamma = (value) => Math.min(Math.max(a * value ** p, slider.low), slider.high);
    const row = new SliderRow({ ...slider, name: this.width, words, low, high }, named(values.gamma),
      this.changes(k, "gamma", toGamma));
    const names = Object.keys(this.menu.parametrisations).map((name) => [name, EXPONENTS[name] ?? name]);
    const how = select("How the width of the Gaussian is given", names, this.width, (name) => {
      this.width = name;
      this.build(this.store.setting.kernel);
    });
    box.append(how, row.node);
    return ({ gamma }) => row.set(named(gamma));
  }

  /** Return what a slider of a term tells of its value. */
  changes(k, name, convert) {
    return (value, settled) => {
      const { kernel } = this.store.setting;
      const values = { ...kernel[k].values, [name]: convert(value) };
      this.store.change({ kernel: kernel.with(k, { ...kernel[k], values }) }, { gesture: `kernel ${k} ${name}` });
      if (settled) this.store.settle();
    };
  }

  choose(k, name) {
    const { kernel } = this.store.setting;
    const choice = this.menu.kernels.find((each) => each.name === name);
    this.store.change({ kernel: kernel.with(k, inPlace(choice, kernel[k].values)) });
  }

  add() {
    this.store.change({ kernel: [...this.store.setting.kernel, chosen(this.menu.kernels[0])] });
  }

  remove(k) {
    this.store.change({ kernel: this.store.setting.kernel.toSpliced(k, 1) });
  }
}
