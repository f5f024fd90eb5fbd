// SPDX-License-Identifier: BSD-3-Clause
// The keyboard on the plane: a listbox of points, of which the chosen one is moved by the arrow keys.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

export const HELP =
  "Arrow keys move the cross, or the chosen point; with Shift in small steps. Enter adds a point at the cross. " +
  "N and P choose the next and the previous point, Escape chooses none. L changes its class, plus and minus set it, " +
  "Delete removes it. Ctrl-Z undoes, F fits the window to the points.";

/** Listen to the keys of a node. */
export function listenToKeys(node, store, hand) {
  const others = actions(store, hand);
  node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) moveBy(store, hand, step.map((each) => (event.shiftKey ? each / 5 : each)), event.timeStamp);
    else if (others[event.key]) others[event.key]();
    else if (others[event.key.toLowerCase()]) others[event.key.toLowerCase()]();
    else return;
    event.preventDefault();
  });
  node.addEventListener("keyup", (event) => STEPS[event.key] && store.settle());
  node.addEventListener("blur", () => {
    store.settle();
    hand.cross = null;
    hand.looked();
  });
}

function moveBy(store, hand, [across, up], stamp) {
  const [left, right, bottom, top] = store.setting.window;
  const [du, dv] = [(across * (right - left)) / 80, (up * (top - bottom)) / 60];
  if (hand.selected !== null) {
    const [u, v] = hand.points[hand.selected];
    hand.move(hand.selected, u + du, v + dv, { stamp, gesture: "keys" });
  } else {
    const [u, v] = crossOf(store, hand);
    hand.cross = [Math.min(Math.max(u + du, left), right), Math.min(Math.max(v + dv, bottom), top)];
  }
  hand.looked();
}

function crossOf(store, hand) {
  const [left, right, bottom, top] = store.setting.window;
  return hand.cross ?? [(left + right) / 2, (bottom + top) / 2];
}

/** Return what keys do, by their names. */
function actions(store, hand) {
  const choose = (i) => {
    const { length } = hand.points;
    if (length) hand.select(((i % length) + length) % length);
  };
  const add = () => {
    hand.select(null);
    hand.cross = crossOf(store, hand);
    hand.add(...hand.cross);
  };
  const next = () => choose(hand.selected === null ? 0 : hand.selected + 1);
  const previous = () => choose(hand.selected === null ? -1 : hand.selected - 1);
  const remove = () => hand.selected !== null && hand.remove(hand.selected);
  const label = (value) => () => hand.selected !== null && hand.relabel(hand.selected, value);
  return {
    Enter: add, " ": add, Delete: remove, Backspace: remove, n: next, PageDown: next, p: previous, PageUp: previous,
    Home: () => choose(0), End: () => choose(-1), Escape: () => hand.select(null), l: label(), "+": label(1),
    "-": label(-1), f: () => hand.fit(),
  };
}
