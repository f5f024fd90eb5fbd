// SPDX-License-Identifier: BSD-3-Clause
// Sets of points with names, kept by the browser: [{name, points, window}, ...] as JSON.
//
// They are read anew each time, since another page may have changed them, and nothing that is read is trusted.

import { keep, recall } from "./kept.js";
import { FURTHEST } from "./setting.js";

const KEY = "qpkernels-lab-sets";
export const LONGEST_NAME = 60;

/** The sets that a browser keeps, of at most so many points each. Errors say in words what cannot be done. */
export class Sets {
  constructor(most) {
    this.most = most;
  }

  /** Return {sets, lost}: those kept, in the order of their names, and how many entries cannot be read. */
  read() {
    const text = recall(KEY);
    if (text === null) return { sets: [], lost: 0 };
    let entries;
    try {
      entries = JSON.parse(text);
    } catch {
      entries = null;
    }
    if (!Array.isArray(entries)) return { sets: [], lost: 1 };
    const named = new Map(entries.filter((each) => this.isSet(each)).map((each) => [each.name, each]));
    const sets = [...named.values()].sort((one, other) => one.name.localeCompare(other.name));
    return { sets, lost: entries.length - sets.length };
  }

  find(name) {
    return this.read().sets.find((each) => each.name === name);
  }

  /** Keep points under a name, in place of those that have it. */
  put(name, points, window) {
    const known = tidyName(name);
    if (!known) throw new Error("Write a name first.");
    if (!points.length) throw new Error("There are no points to keep; add some first.");
    this.write([...this.others(known), { name: known, points, window }]);
    return known;
  }

  /** Give a set another name, which none has. */
  rename(name, next) {
    const known = tidyName(next);
    if (!known) throw new Error("Write the new name first.");
    if (known !== name && this.find(known)) throw new Error(`There is a set \u201c${known}\u201d already; take another name.`);
    this.write([...this.others(name), { ...this.taken(name), name: known }]);
    return known;
  }

  remove(name) {
    this.taken(name);
    this.write(this.others(name));
  }

  /** Return a set that must be there. */
  taken(name) {
    const set = this.find(name);
    if (!set) throw new Error(name ? `There is no set \u201c${name}\u201d any more.` : "Choose a set first.");
    return set;
  }

  others(name) {
    return this.read().sets.filter((each) => each.name !== name);
  }

  write(sets) {
    keep(KEY, JSON.stringify(sets));
  }

  isSet(entry) {
    const { name, points, window } = entry ?? {};
    return typeof name === "string" && name !== "" && name === tidyName(name) && Array.isArray(points)
      && points.length > 0 && points.length <= this.most && points.every((each) => isPoint(each, points[0]?.length))
      && Array.isArray(window) && window.length === 4 && window.every(isPlace) && window[0] < window[1]
      && window[2] < window[3];
  }
}

/** Return a name in one line and without what cannot be seen, at most so long. */
export function tidyName(text) {
  return [...text.replace(/[\p{C}\s]+/gu, " ").trim()].slice(0, LONGEST_NAME).join("").trim();
}

function isPoint(entry, width) {
  return Array.isArray(entry) && entry.length === width && (width === 2 || width === 3) && entry.every(isPlace)
    && (width === 2 || Math.abs(entry[2]) === 1);
}

function isPlace(value) {
  return Number.isFinite(value) && Math.abs(value) <= FURTHEST;
}
