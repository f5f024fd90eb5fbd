// SPDX-License-Identifier: BSD-3-Clause
// Words for a hand: where the pointer is a finger, it taps what a mouse clicks.

const IS_FINGER = window.matchMedia("(pointer: coarse)");

/** Return words about a mouse, or about a finger where that is what the device has. */
export function forHand(words) {
  if (!IS_FINGER.matches) return words;
  return words.replace(/\bdouble-click/g, "double-tap").replace(/\bclick/g, "tap").replace(/\bClick/g, "Tap")
    .replace(/Point at one\b/, "Tap one");
}
