// SPDX-License-Identifier: BSD-3-Clause
// The points as a table: their coordinates and classes to be edited, and beside them what the answer makes of each. It
// is copied as CSV, and points of others are pasted or opened as CSV.

import { moved, relabelled, removed } from "../plane/edits.js";
import { copied } from "./copied.js";
import { COLUMNS, readPoints, writeRows } from "../state/csv.js";
import { sampleColumns, shown } from "../state/reading.js";
import { FURTHEST, fitted, machineOf } from "../state/setting.js";
import { button, element, say } from "./element.js";

const PAGE = 50;
/** What is smaller is rounding, and shown as 0. */
const SLIGHT = 1e-9;
const tidied = (value) => (Math.abs(value) < SLIGHT ? 0 : value);

/** The table; it changes the store, and chosen(i) is told of a point whose row is entered. */
export class Table {
  constructor(menu, store, chosen) {
    Object.assign(this, { menu, store, chosen, first: 0, frame: null, look: null });
    this.head = element("tr");
    this.rows = element("tbody");
    this.said = element("p", { class: "lab-said", role: "status" });
    this.place = element("div");
    this.before = button("\u2190", "The points before these", () => this.turn(-PAGE), { class: "lab-icon" });
    this.after = button("\u2192", "The points after these", () => this.turn(PAGE), { class: "lab-icon" });
    this.which = element("span");
    this.pages = element("div", { class: "lab-group" }, this.before, this.after, this.which);
    this.area = element("textarea", { rows: 4, "aria-label": "Points as CSV", spellcheck: "false" });
    this.file = element("input", { type: "file", accept: ".csv,.txt,text/csv", "aria-label": "A file of points",
      onchange: () => this.opened() });
    this.node = element("details", { class: "lab-table", ontoggle: () => this.update() },
      element("summary", {}, "Points as a table"),
      element("div", { class: "lab-scrolled" }, element("table", {}, element("thead", {}, this.head), this.rows)),
      this.pages,
      element("div", { class: "lab-group" }, button("Copy as CSV", "Copy the table as CSV", () => this.copy())),
      element("p", { class: "lab-words" }, "To bring points of your own, paste rows of CSV here, or open a file."),
      this.area,
      element("div", { class: "lab-group" },
        button("Import", "Replace the points by the rows above", () => this.replace(this.area.value)), this.file),
      this.said, this.place);
  }

  get task() {
    return machineOf(this.menu, this.store.setting).task;
  }

  show(frame) {
    this.frame = frame;
    this.update();
  }

  turn(by) {
    this.first += by;
    this.update();
  }

  /** Write what has changed, where the table is open. */
  update() {
    if (!this.node.open || !this.store.setting) return;
    const { task, store: { setting: { points } } } = this;
    this.first = Math.max(0, Math.min(this.first, PAGE * Math.floor((points.length - 1) / PAGE)));
    const last = Math.min(this.first + PAGE, points.length);
    const isOfThese = this.frame?.setting.points.length === points.length;
    const columns = isOfThese ? sampleColumns(this.frame, machineOf(this.menu, this.frame.setting)) : [];
    const look = [task, this.first, last, ...columns.map(({ name }) => name)].join();
    if (look !== this.look) this.build(task, last, columns);
    this.look = look;
    this.pages.hidden = points.length <= PAGE;
    this.before.disabled = this.first === 0;
    this.after.disabled = last === points.length;
    say(this.which, `${this.first} to ${last - 1} of ${points.length}`);
    [...this.rows.children].forEach((row, k) => this.fill(row, this.first + k, columns));
  }

  build(task, last, columns) {
    const names = ["", ...COLUMNS[task].map((name) => (name === "label" ? "class" : name)), ...columns.map(({ title }) => title)];
    this.head.replaceChildren(...names.map((name) => element("th", { scope: "col" }, name)));
    this.rows.replaceChildren(...Array.from({ length: Math.max(0, last - this.first) }, (_, k) => {
      const i = this.first + k;
      const fields = [0, 1].map((place) => element("input", { type: "number", step: "any",
        "aria-label": `${COLUMNS[task][place]} of point ${i}`, onchange: ({ target }) => this.moved(i, place, target) }));
      const kind = task === "classification" ? [element("td", {}, element("button", { type: "button",
        "aria-label": `Class of point ${i}`, onclick: () => this.relabelled(i) }))] : [];
      const remove = button("\u00d7", `Delete point ${i}`, () => this.store.change({ points: removed(this.store.setting.points, i) }));
      return element("tr", { onfocusin: () => this.chosen(i) }, element("th", { scope: "row" }, String(i)),
        fields.map((field) => element("td", {}, field)), kind,
        columns.map(() => element("td", {}, element("output"))), element("td", {}, remove));
    }));
  }

  fill(row, i, columns) {
    const point = this.store.setting.points[i];
    row.querySelectorAll("input").forEach((field, place) => {
      if (field !== document.activeElement && Number(field.value) !== point[place]) field.value = point[place];
      if (field.value === "") field.value = point[place];
    });
    const kind = row.querySelector("td > button[aria-label^=Class]");
    if (kind) say(kind, point[2] > 0 ? "+1" : "\u22121");
    row.querySelectorAll("output").forEach((cell, k) => say(cell, shown(tidied(columns[k].value(i)), 4)));
  }

  /** Take a coordinate that was typed; what is none stays to be corrected. */
  moved(i, place, field) {
    const value = field.valueAsNumber;
    const isGood = Math.abs(value) <= FURTHEST;
    field.setAttribute("aria-invalid", !isGood);
    say(this.said, isGood ? "" : `A coordinate must be a number within ${FURTHEST} of 0.`);
    if (!isGood) return;
    const { points } = this.store.setting;
    const [u, v] = points[i].with(place, value);
    this.store.change({ points: moved(points, i, u, v) });
  }

  relabelled(i) {
    this.store.change({ points: relabelled(this.store.setting.points, i) });
  }

  async copy() {
    const { points } = this.store.setting;
    const columns = this.frame?.setting.points.length === points.length
      ? sampleColumns(this.frame, machineOf(this.menu, this.frame.setting)) : [];
    const names = [...COLUMNS[this.task], ...columns.map(({ name }) => name)];
    const text = writeRows(names, points.map((point, i) => [...point, ...columns.map(({ value }) => value(i))]));
    say(this.said, await copied(text, `Copied ${points.length} rows.`, this.place));
  }

  async opened() {
    const [file] = this.file.files;
    this.file.value = "";
    if (file) this.replace(await file.text());
  }

  /** Replace the points by those of a text, all of them or none. */
  replace(text) {
    const { task } = this;
    this.place.replaceChildren();
    try {
      const points = readPoints(text, task, this.menu.most_points);
      const window = fitted(points, this.store.setting.window, task === "classification");
      this.store.change({ points, window, view: { ...this.store.setting.view, step: 0 } });
      say(this.said, `Imported ${points.length} points. Ctrl-Z goes back.`);
    } catch (error) {
      say(this.said, error.message);
    }
  }
}
