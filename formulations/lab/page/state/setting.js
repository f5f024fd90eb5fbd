// SPDX-License-Identifier: BSD-3-Clause
// Settings as formulations/lab/settings.py reads them, complete: every slider has its value.

const WINDOW = [-4, 4, -3, 3];
export const FURTHEST = 1e6;
export const MOST_TERMS = 4;
const PARTS = ["machine", "kernel", "points", "window", "view"];

/** Return a number with four significant digits. */
export function rounded(value) {
  return Number(value.toPrecision(4));
}

/** Return a number between low and high to a two-thousandth of their distance: what a picture can tell apart. */
export function seen(value, low, high) {
  return Number(value.toFixed(Math.min(Math.max(Math.ceil(-Math.log10((high - low) / 2000)), 0), 12)));
}

/** Return a window with its ends as the picture can tell them apart; the present one where it would be too far out. */
export function tidy([left, right, bottom, top], present) {
  const [width, height] = [right - left, top - bottom];
  const ends = [left, right].map((u) => seen(u, 0, width)).concat([bottom, top].map((v) => seen(v, 0, height)));
  const good = Math.min(width, height) > 1e-6 && ends.every((end) => Math.abs(end) <= FURTHEST);
  return good ? ends : present;
}

/** Return the machine of the menu that a setting chooses. */
export function machineOf(menu, setting) {
  return menu.machines.find(({ name }) => name === setting.machine.name);
}

/** Return {name, values} of a choice of the menu with all values at their defaults, or at those given. */
export function chosen(choice, values = {}) {
  const all = choice.sliders.map(({ name, default: value }) => [name, values[name] ?? value]);
  return { name: choice.name, values: Object.fromEntries(all) };
}

/** Return {name, values} of a choice that takes the place of another: values within its ranges are kept. */
export function inPlace(choice, values) {
  const kept = choice.sliders.filter(({ name, low, high }) => values[name] >= low && values[name] <= high);
  return chosen(choice, Object.fromEntries(kept.map(({ name }) => [name, values[name]])));
}

/** Return a setting with what was left out; throws an Error that says what is wrong. */
export function complete(menu, raw) {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) throw new Error("a setting is an object.");
  const unknown = Object.keys(raw).find((part) => !PARTS.includes(part));
  if (unknown) throw new Error(`a setting has no part ${unknown}.`);
  return {
    machine: known(menu.machines, raw.machine ?? { name: "soft-margin" }, menu.in_python),
    kernel: (raw.kernel ?? [{ name: "rbf" }]).map((term) => known(menu.kernels, term)),
    points: raw.points ?? [],
    window: raw.window ?? WINDOW,
    view: { name: "picture", step: 0, ...raw.view },
  };
}

function known(choices, entry, inPython = {}) {
  const choice = choices.find(({ name, others }) => name === entry?.name || others.includes(entry?.name));
  if (!choice && Object.hasOwn(inPython, entry?.name)) {
    throw new Error(`browsers do not solve the machine ${inPython[entry.name]}, Python does: install the package qpkernels, `
      + "then type qpkernels lab --link in a terminal, and behind it this address in quotes.");
  }
  if (!choice) throw new Error(`there is no ${entry?.name}; there are ${choices.map(({ name }) => name).join(", ")}.`);
  const wrong = Object.entries(entry.values ?? {}).find(([, value]) => !Number.isFinite(value));
  if (wrong) throw new Error(`${wrong[0]} of ${entry.name} must be a number, but ${JSON.stringify(wrong[1])} came.`);
  return chosen(choice, entry.values ?? {});
}

/** Throw an Error that says what was expected where a setting is not one that a machine is solved for. */
export function check(menu, { machine, kernel, points, window }) {
  checkValues(machineOf(menu, { machine }), machine.values);
  for (const { name, values } of kernel) checkValues(menu.kernels.find((each) => each.name === name), values);
  if (!(kernel.length >= 1 && kernel.length <= MOST_TERMS)) {
    throw new Error(`a sum has 1 to ${MOST_TERMS} kernels, but ${kernel.length} came.`);
  }
  checkPoints(points, machineOf(menu, { machine }).task);
  if (areCoordinates(window, 4) && window[0] < window[1] && window[2] < window[3]) return;
  throw new Error("window must be [left, right, bottom, top] with left < right and bottom < top, but "
    + `${JSON.stringify(window)} came.`);
}

function checkValues({ name: owner, sliders }, values) {
  for (const { name, low, high, scale } of sliders) {
    const [value, isWhole] = [values[name], scale === "integer"];
    if (typeof value === "number" && value >= low && value <= high && (!isWhole || Number.isInteger(value))) continue;
    throw new Error(`${name} of ${owner} must be ${isWhole ? "an integer" : "a number"} from ${low} to ${high}, but `
      + `${JSON.stringify(value)} came.`);
  }
}

function checkPoints(points, task) {
  const size = task === "classification" ? 3 : 2;
  if (!Array.isArray(points)) throw new Error(`points must be a list of points, but ${JSON.stringify(points)} came.`);
  const wrong = points.find((point) => !(areCoordinates(point, size) && (size === 2 || Math.abs(point[2]) === 1)));
  if (wrong === undefined) return;
  const expected = size === 3 ? "x1, x2 and the label -1 or 1" : "x and y";
  throw new Error(`a point of a ${task} must be ${expected}, within ${FURTHEST} of 0, but ${JSON.stringify(wrong)} came.`);
}

function areCoordinates(entry, size) {
  return Array.isArray(entry) && entry.length === size
    && entry.every((each) => typeof each === "number" && Math.abs(each) <= FURTHEST);
}

/** Whether parts of two settings have the same values. */
export function sameParts(one, other, parts) {
  return parts.every((part) => same(one[part], other[part]));
}

function same(one, other) {
  if (one === other || typeof one !== "object") return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => same(one[key], other[key]));
}

/** Return points to begin with: two classes side by side, or a wave. */
export function firstPoints(task) {
  const classification = task === "classification";
  return Array.from({ length: 24 }, (_, k) => (classification ? ofTwoClasses(k) : ofWave(k)));
}

function ofTwoClasses(k) {
  const label = k % 2 ? 1 : -1;
  const [turn, reach] = [2.4 * k, 0.35 * Math.sqrt(k + 1)];
  return [rounded(1.1 * label + reach * Math.cos(turn)), rounded(0.4 * label + reach * Math.sin(turn)), label];
}

function ofWave(k) {
  const x = -3.45 + 0.3 * k;
  return [rounded(x), rounded(1.5 * Math.sin(1.4 * x) + 0.45 * Math.sin(37 * k))];
}

/** Return the least window around the points, with a border; of two features at the present aspect ratio. */
export function fitted(points, window, keepsAspect) {
  if (!points.length) return WINDOW;
  const [left, right] = around(points.map(([x]) => x));
  const [bottom, top] = around(points.map(([, y]) => y));
  if (!keepsAspect) return [left, right, bottom, top];
  const aspect = (window[1] - window[0]) / (window[3] - window[2]);
  const width = Math.max(right - left, (top - bottom) * aspect);
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return [x - width / 2, x + width / 2, y - width / aspect / 2, y + width / aspect / 2];
}

function around(values) {
  const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const border = 0.12 * (high - low) || 1;
  return [low - border, high + border];
}

/** Return the window seen from nearer (factor below 1) or farther around a place. */
export function zoomed([left, right, bottom, top], factor, x = (left + right) / 2, y = (bottom + top) / 2) {
  return [x + factor * (left - x), x + factor * (right - x), y + factor * (bottom - y), y + factor * (top - y)];
}
