// SPDX-License-Identifier: BSD-3-Clause
// What the browser keeps for the address of the page. Reading and writing throw an Error in words where it keeps
// nothing: sites may be kept from it, and its room ends.

/** Return the text kept under a key; null where there is none. */
export function recall(key) {
  try {
    return window.localStorage.getItem(key);
  } catch {
    throw new Error("This browser keeps nothing for this page.");
  }
}

/** Keep a text under a key. */
export function keep(key, text) {
  recall(key);
  try {
    window.localStorage.setItem(key, text);
  } catch {
    throw new Error("This browser has no room left for this page: delete what is kept here, or use fewer points.");
  }
}
