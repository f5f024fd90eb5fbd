// SPDX-License-Identifier: BSD-3-Clause
// Sets of points that the browser keeps: named, loaded, renamed and deleted. Names are written as text alone.

import { LONGEST_NAME, Sets, tidyName } from "../state/sets.js";
import { inPlace, machineOf } from "../state/setting.js";
import { button, element, newId, say, select } from "./element.js";

const LOST = "Some of what this browser keeps as sets of points cannot be read; it goes when a set is kept, renamed or "
  + "deleted.";

/** The sets; they change the store. where says of what the browser keeps them. */
export class SetsPanel {
  constructor(menu, store, where) {
    Object.assign(this, { menu, store, sets: new Sets(menu.most_points), asked: null });
    this.list = select("Kept sets", [], "", (name) => this.choose(name));
    const id = newId("name");
    this.name = element("input", { type: "text", id, maxlength: LONGEST_NAME, autocomplete: "off", spellcheck: "false" });
    this.said = element("p", { class: "lab-said", role: "status" });
    this.load = this.acting("Load", "Show the chosen set", () => this.loaded());
    this.rename = this.acting("Rename", "Give the chosen set the name that is written below", () => this.renamed());
    this.remove = this.acting("Delete", "Delete the chosen set for good", (asked) => this.removed(asked));
    this.node = element("fieldset", { class: "lab-sets", onfocusin: () => this.refresh() },
      element("legend", {}, "Sets of points"), this.list,
      element("div", { class: "lab-group" }, this.load, this.rename, this.remove),
      element("label", { for: id }, "Name"),
      element("div", { class: "lab-row" }, this.name,
        this.acting("Keep", "Keep the points under this name", (asked) => this.kept(asked))),
      this.said, element("p", { class: "lab-words" }, element("small", {}, where)));
    this.name.addEventListener("keydown", (event) => event.key === "Enter" && this.act((asked) => this.kept(asked)));
    this.refresh();
  }

  acting(words, title, act) {
    return button(words, title, () => this.act(act));
  }

  /** Do something, and say what came of it; act(asked) is told what was to be confirmed. */
  act(act) {
    const { asked } = this;
    this.asked = null;
    let words;
    try {
      words = act(asked);
    } catch (error) {
      words = error.message;
    }
    this.refresh();
    say(this.said, words);
  }

  /** List what the browser keeps now, with the set chosen that was. */
  refresh(name = this.list.value) {
    let read = { sets: [], lost: 0 };
    try {
      read = this.sets.read();
      say(this.said, read.lost ? LOST : this.said.textContent.replace(LOST, ""));
    } catch (error) {
      say(this.said, error.message);
    }
    const listed = JSON.stringify(read.sets.map((each) => [each.name, each.points.length]));
    if (listed !== this.listed) {
      this.list.replaceChildren(...[["", read.sets.length ? "Choose\u2026" : "None are kept yet"], ...read.sets.map(
        (each) => [each.name, `${each.name} (${counted(each.points)})`])].map(
        ([value, words]) => element("option", { value }, words)));
      this.listed = listed;
    }
    this.list.value = read.sets.some((each) => each.name === name) ? name : "";
    for (const each of [this.load, this.rename, this.remove]) each.disabled = !this.list.value;
  }

  choose(name) {
    this.asked = null;
    if (name) this.name.value = name;
    this.refresh();
  }

  /** Whether the user has asked for the same twice at once: what is lost by it cannot be undone. */
  isConfirmed(what, asked) {
    if (what !== asked) this.asked = what;
    return what === asked;
  }

  kept(asked) {
    const { points, window } = this.store.setting;
    const name = tidyName(this.name.value);
    const before = this.sets.find(name);
    if (before && !this.isConfirmed(`keep ${name}`, asked)) {
      return `\u201c${name}\u201d is kept already, with ${counted(before.points)}. Keep once more replaces it.`;
    }
    this.refresh(this.sets.put(name, points, window));
    return `Kept \u201c${name}\u201d: ${counted(points)}.`;
  }

  renamed() {
    const before = this.list.value;
    const name = this.sets.rename(before, this.name.value);
    this.refresh(name);
    return `\u201c${before}\u201d is called \u201c${name}\u201d now.`;
  }

  removed(asked) {
    const { name, points } = this.sets.taken(this.list.value);
    if (!this.isConfirmed(`delete ${name}`, asked)) {
      return `\u201c${name}\u201d has ${counted(points)}. Delete once more deletes it for good.`;
    }
    this.sets.remove(name);
    return `Deleted \u201c${name}\u201d.`;
  }

  /** Show a set by the present machine, or by one for such points. */
  loaded() {
    const { name, points, window } = this.sets.taken(this.list.value);
    const task = points[0].length === 3 ? "classification" : "regression";
    const { setting } = this.store;
    const other = this.menu.machines.find((each) => each.task === task);
    const machine = machineOf(this.menu, setting).task === task ? setting.machine : inPlace(other, setting.machine.values);
    this.store.change({ machine, points, window, view: { ...setting.view, step: 0 } });
    return `Loaded \u201c${name}\u201d: ${counted(points)}. Ctrl-Z goes back.`;
  }
}

function counted({ length }) {
  return length === 1 ? "1 point" : `${length} points`;
}
