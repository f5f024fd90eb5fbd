// SPDX-License-Identifier: BSD-3-Clause
// What the hand or the keyboard does to the setting. It holds what is between two events: the mode, the chosen point,
// and the cross where Enter adds one.

import { gridOf } from "./axes.js";
import { added, moved, pointAt, relabelled, removed } from "./edits.js";
import { fitted, seen, tidy, zoomed } from "../state/setting.js";

export const MODES = [
  { name: "positive", title: "Add +1", words: "A click adds a point of class +1; a point can be dragged.", label: 1 },
  { name: "negative", title: "Add \u22121", words: "A click adds a point of class \u22121; a point can be dragged.", label: -1 },
  { name: "add", title: "Add", words: "A click adds a point; a point can be dragged, and the edge of a tube.", label: null },
  { name: "move", title: "Move", words: "Drag a point to move it, and anything else to move the window." },
  { name: "relabel", title: "Relabel", words: "A click gives a point to the other class." },
  { name: "delete", title: "Delete", words: "A click deletes a point." },
];

/** Return the modes of classifications, or of regressions. */
export function modesOf(task) {
  const without = task === "classification" ? ["add"] : ["positive", "negative", "relabel"];
  return MODES.filter(({ name }) => !without.includes(name));
}

/** Acts on a store; looked() is called where what is chosen has changed, and said(words) where nothing can be done. */
export class Hand {
  constructor(store, looked, said) {
    this.store = store;
    this.looked = looked;
    this.said = said;
    this.mode = "positive";
    this.selected = null;
    this.cross = null;
    this.most = Infinity;
    this.snaps = false;
  }

  get points() {
    return this.store.setting.points;
  }

  /** Whether a click adds a point. */
  get adds() {
    return MODES.find(({ name }) => name === this.mode).label !== undefined;
  }

  /** The label of a point that is added; null in a regression. */
  label(other = false) {
    if (this.task === "regression") return null;
    const label = this.mode === "negative" ? -1 : 1;
    return other ? -label : label;
  }

  /** Keep to what the task has. */
  forTask(task) {
    if (this.task === task) return;
    this.task = task;
    this.selected = null;
    if (!modesOf(task).some(({ name }) => name === this.mode)) this.mode = modesOf(task)[0].name;
  }

  select(i) {
    this.selected = i;
    if (i !== null) this.cross = null;
    this.looked();
  }

  edit(points, options) {
    if (points !== this.points) this.store.change({ points }, options);
  }

  /** The cells of the grid that points snap to; null where they do not. */
  get grid() {
    return this.snaps ? gridOf(this.store.setting.window) : null;
  }

  /** Return a place to the digits that the picture can tell apart, or on the grid. */
  place(u, v) {
    const [left, right, bottom, top] = this.store.setting.window;
    const [x, y] = this.grid ? [u, v].map((each, k) => Math.round(each / this.grid[k]) * this.grid[k]) : [u, v];
    return [seen(x, left, right), seen(y, bottom, top)];
  }

  add(u, v, { other = false, ...options } = {}) {
    if (this.points.length >= this.most) return this.said(`There can be ${this.most} points at most.`);
    return this.edit(added(this.points, pointAt(...this.place(u, v), this.label(other))), options);
  }

  move(i, u, v, options) {
    this.edit(moved(this.points, i, ...this.place(u, v)), options);
  }

  relabel(i, label) {
    this.edit(relabelled(this.points, i, label));
  }

  remove(i) {
    this.selected = null;
    this.edit(removed(this.points, i));
    this.looked();
  }

  clear() {
    this.select(null);
    if (this.points.length) this.edit([]);
  }

  snap() {
    this.snaps = !this.snaps;
    this.looked();
  }

  zoom(factor, u, v) {
    this.look(zoomed(this.store.setting.window, factor, u, v));
  }

  fit() {
    this.look(fitted(this.points, this.store.setting.window, this.task === "classification"));
  }

  look(window, stamp) {
    this.store.change({ window: tidy(window, this.store.setting.window) }, { undoable: false, stamp });
  }
}
