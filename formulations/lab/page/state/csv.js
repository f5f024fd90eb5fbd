// SPDX-License-Identifier: BSD-3-Clause
// Points as lines of CSV: read from what people paste, every bad row named, and written.

import { FURTHEST } from "./setting.js";

/** The columns of the points of each task, and what a row must hold. */
export const COLUMNS = { classification: ["x1", "x2", "label"], regression: ["x", "y"] };
const EXPECTED = {
  classification: "x1, x2 and the class 1 or \u22121",
  regression: "x and y",
};
const SAID = 5;

/**
 * Return the points of a text; throws an Error that names the bad rows by their lines, and says what was expected.
 *
 * Columns are separated by commas, semicolons, tabs or spaces. A first line of names says which columns are meant;
 * without one, a row has the columns of the task and no other. With semicolons a comma may be that of a decimal.
 */
export function readPoints(text, task, most) {
  const names = COLUMNS[task];
  const lines = text.split(/\r\n|\r|\n/).map((line, k) => ({ line, number: k + 1 }))
    .filter(({ line }) => line.trim() && !line.startsWith("#"));
  if (!lines.length) throw new Error(`There are no rows: each must hold ${EXPECTED[task]}.`);
  const isHead = cellsOf(lines[0].line).every((cell) => cell && Number.isNaN(numberOf(cell)));
  const head = isHead ? cellsOf(lines.shift().line).map((cell) => cell.replace(/"/g, "").toLowerCase()) : null;
  const places = names.map((name, k) => (head?.includes(name) ? head.indexOf(name) : k));
  if (head && head.length !== names.length && !names.every((name) => head.includes(name))) {
    throw new Error(`The first line must name the columns ${names.join(", ")}, but it names ${head.join(", ")}.`);
  }
  if (lines.length > most) throw new Error(`There can be ${most} points at most, but ${lines.length} rows came.`);
  const wrong = [];
  const points = lines.map(({ line, number }) => {
    const cells = cellsOf(line);
    const point = places.map((place) => numberOf(cells[place] ?? ""));
    const isWhole = cells.length === (head ?? names).length;
    const isGood = isWhole && point.every((value) => Math.abs(value) <= FURTHEST) && (names.length < 3 || Math.abs(point[2]) === 1);
    if (!isGood) wrong.push(`Line ${number} must hold ${EXPECTED[task]}, but it is \u201c${shortened(line)}\u201d.`);
    return point;
  });
  if (wrong.length) {
    const more = wrong.length > SAID ? ` ${wrong.length - SAID} further lines are wrong.` : "";
    throw new Error(`Nothing was imported. ${wrong.slice(0, SAID).join(" ")}${more}`);
  }
  if (!points.length) throw new Error(`There is no row below the names: each must hold ${EXPECTED[task]}.`);
  return points;
}

/** Return rows below their names as CSV. */
export function writeRows(names, rows) {
  return [names, ...rows].map((row) => row.join()).join("\n") + "\n";
}

/** Return points as CSV. */
export function writePoints(points) {
  return writeRows(COLUMNS[points[0].length === 3 ? "classification" : "regression"], points);
}

function cellsOf(line) {
  const text = line.trim();
  if (text.includes(";")) return text.split(";").map((cell) => cell.trim().replace(",", "."));
  return text.split(text.includes(",") ? "," : /\s+/).map((cell) => cell.trim());
}

/** Return the number of a cell, NaN where it is none. */
function numberOf(cell) {
  return cell === "" ? NaN : Number(cell.replace(/[\u2212\u2013]/, "-"));
}

function shortened(line) {
  return line.length > 40 ? `${line.slice(0, 40)}\u2026` : line;
}
