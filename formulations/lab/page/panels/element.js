// SPDX-License-Identifier: BSD-3-Clause
// Elements of the page in one expression each.

let made = 0;

/** Return an element; an attribute that begins with "on" is a listener, and one that is false or null is left out. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.flat());
  return node;
}

/** Return a button with words, and a title that says more. */
export function button(words, title, act, attributes = {}) {
  return element("button", { type: "button", title, "aria-label": title, onclick: act, ...attributes }, words);
}

/** Return a select with options [value, words]. */
export function select(label, options, chosen, act) {
  const node = element("select", { "aria-label": label, onchange: () => act(node.value) }, options.map(
    ([value, words]) => element("option", { value, selected: value === chosen }, words)));
  return node;
}

/** Return an id that no other element has. */
export function newId(stem) {
  return `lab-${stem}-${++made}`;
}

/** Set the text of an element where it differs, so that nothing is announced or laid out twice. */
export function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}
