// SPDX-License-Identifier: BSD-3-Clause
// The choice of an example, of the machine, and of its kernel; all of it from the menu of the server.

import { complete, firstPoints, inPlace, machineOf, sameParts } from "../state/setting.js";
import { element, select } from "./element.js";
import { Kernels } from "./kernels.js";
import { SliderRow } from "./slider.js";

const TASKS = { classification: "Two classes", regression: "Regression" };

/** The controls; they change the store. */
export class Controls {
  constructor(menu, store) {
    Object.assign(this, { menu, store, rows: new Map(), shown: null, kept: {} });
    this.machine = select("Machine", [], null, (name) => this.choose(name));
    this.machine.append(...Object.entries(TASKS).map(([task, label]) => element("optgroup", { label },
      menu.machines.filter((each) => each.task === task).map(
        ({ name, title }) => element("option", { value: name }, title)))));
    this.sliders = element("div");
    this.kernels = new Kernels(menu, store);
    this.examples = (menu.presets ?? []).map(({ name, setting }) => ({ name, setting: complete(menu, setting) }));
    this.example = select("Example", [["", "Choose\u2026"], ...(menu.presets ?? []).map(
      ({ name, title }) => [name, title])], "", (name) => this.begin(name));
    this.head = element("label", { class: "lab-examples", hidden: !this.examples.length }, "Example", this.example);
    this.node = element("section", { class: "lab-controls", "aria-label": "Machine and kernel" },
      element("fieldset", {}, element("legend", {}, "Machine"), this.machine, this.sliders), this.kernels.node);
  }

  /** Begin with an example. */
  begin(name) {
    const example = this.examples.find((each) => each.name === name);
    if (example) this.store.change(example.setting);
  }

  /** Show a setting. */
  update(setting) {
    const machine = machineOf(this.menu, setting);
    if (this.shown !== machine.name) this.build(machine, setting.machine.values);
    this.shown = machine.name;
    this.machine.value = machine.name;
    for (const [name, row] of this.rows) row.set(setting.machine.values[name]);
    this.kernels.update(setting);
    const isShown = (example) => sameParts(example.setting, setting, ["machine", "kernel", "window", "points"]);
    this.example.value = this.examples.find(isShown)?.name ?? "";
  }

  /** Say beside its slider at which value the picture is, where a view shows a path. */
  note({ parameter, value, steps } = {}) {
    for (const [name, row] of this.rows) row.note(steps && name === parameter ? value : null);
  }

  build({ sliders }, values) {
    this.rows = new Map(sliders.map((slider) => [slider.name, new SliderRow(slider, values[slider.name],
      (value, settled) => this.changed(slider.name, value, settled))]));
    this.sliders.replaceChildren(...[...this.rows.values()].map(({ node }) => node));
  }

  changed(name, value, settled) {
    const { machine } = this.store.setting;
    const values = { ...machine.values, [name]: value };
    this.store.change({ machine: { ...machine, values } }, { gesture: `machine ${name}` });
    if (settled) this.store.settle();
  }

  /** Choose a machine: what it shares with the present one keeps its value, in its range, and each task keeps its points. */
  choose(name) {
    const { setting } = this.store;
    const [before, after] = [machineOf(this.menu, setting), this.menu.machines.find((each) => each.name === name)];
    const machine = inPlace(after, setting.machine.values);
    const view = { ...setting.view, step: 0 };
    if (before.task === after.task) return this.store.change({ machine, view });
    this.kept[before.task] = { points: setting.points, window: setting.window };
    const kept = this.kept[after.task] ?? { points: firstPoints(after.task), window: complete(this.menu, {}).window };
    return this.store.change({ machine, view, ...kept });
  }
}
