// SPDX-License-Identifier: BSD-3-Clause
// The decision values over the window as colours: two hues that meet at 0, as strong on one side as on the other.
//
// Where there is a margin of level l, what lies within |f| < l is paler: the strip of the margin. Full strength is at
// |f| = 2 l, or without a level at the largest |f|.

import { colour } from "../paint.js";

const SHADES = 512;
const STRONGEST = 0.62;

let kept = null;

/** Return the ImageData of a field {data, shape}; its row 0 is the lowest. */
export function fieldImage({ data, shape: [rows, columns] }, level) {
  const largest = level > 0 ? 2 * level : largestOf(data);
  const shades = shadesOf(level > 0);
  if (!kept || kept.width !== columns || kept.height !== rows) kept = new ImageData(columns, rows);
  const pixels = new Uint32Array(kept.data.buffer);
  const [scale, middle] = [(SHADES / 2 - 1) / (largest || 1), SHADES / 2];
  for (let row = 0, from = 0; row < rows; row++) {
    let to = (rows - 1 - row) * columns;
    for (let column = 0; column < columns; column++) {
      const shade = data[from++] * scale;
      pixels[to++] = shades[shade > middle - 1 ? SHADES - 1 : shade < 1 - middle ? 1 : Math.floor(middle + shade)];
    }
  }
  return kept;
}

/** Return the largest absolute value of those that are finite. */
function largestOf(data) {
  let largest = 0;
  for (const value of data) if (Math.abs(value) > largest && value - value === 0) largest = Math.abs(value);
  return largest;
}

const tables = new Map();

/** Return the colours from the most negative value to the most positive as 32 bits each. */
function shadesOf(strip) {
  const names = [colour("paper"), colour("negative"), colour("positive"), strip];
  const key = names.join();
  if (!tables.has(key)) {
    const [paper, negative, positive] = names.slice(0, 3).map(channels);
    tables.set(key, Uint32Array.from({ length: SHADES }, (_, k) => {
      const t = (k + 0.5) / (SHADES / 2) - 1;
      return mixed(paper, t < 0 ? negative : positive, strength(Math.abs(t), strip));
    }));
  }
  return tables.get(key);
}

function strength(t, strip) {
  if (!strip) return STRONGEST * t;
  return t < 0.5 ? 0.06 + 0.28 * t : 0.28 + (STRONGEST - 0.28) * (2 * t - 1);
}

function mixed(from, to, share) {
  const [r, g, b] = from.map((channel, k) => Math.round(channel + share * (to[k] - channel)));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Return red, green and blue of a colour. */
export function channels(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
}
