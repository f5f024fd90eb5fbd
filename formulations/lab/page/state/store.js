// SPDX-License-Identifier: BSD-3-Clause
// The setting of the page, and the settings before it.
//
// Settings are never changed, only replaced: parts that are the same object are the same.

const MOST_KEPT = 200;

/** Holds the setting; changed(setting, {stamp, settled}) is called after each change. */
export class Store {
  constructor(setting, changed) {
    this.setting = setting;
    this.changed = changed;
    this.past = [];
    this.future = [];
    this.gesture = null;
  }

  /**
   * Replace parts of the setting. Changes of one gesture, such as "drag", are undone together until settle() ends it.
   * stamp is when the event happened; view and window are looked at, not undone.
   */
  change(parts, { stamp = performance.now(), gesture = null, undoable = true } = {}) {
    if (undoable && !(gesture !== null && gesture === this.gesture)) this.remember();
    if (undoable) this.gesture = gesture;
    this.setting = { ...this.setting, ...parts };
    this.changed(this.setting, { stamp, settled: gesture === null });
  }

  /** End a gesture. */
  settle() {
    if (this.gesture === null) return;
    this.gesture = null;
    this.changed(this.setting, { stamp: null, settled: true });
  }

  undo() {
    this.step(this.past, this.future);
  }

  redo() {
    this.step(this.future, this.past);
  }

  remember() {
    this.past.push(this.setting);
    if (this.past.length > MOST_KEPT) this.past.shift();
    this.future = [];
  }

  step(from, to) {
    if (!from.length) return;
    to.push(this.setting);
    this.gesture = null;
    this.setting = seenAs(from.pop(), this.setting);
    this.changed(this.setting, { stamp: performance.now(), settled: true });
  }
}

/** Return a setting as the present one is looked at, where both are of the same machine. */
function seenAs(setting, { machine, view, window }) {
  return setting.machine.name === machine.name ? { ...setting, view, window } : setting;
}
