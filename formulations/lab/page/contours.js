// SPDX-License-Identifier: BSD-3-Clause
// Level lines of values on a grid by marching squares, as polylines.
//
// Every cell is crossed by none, one or two segments, whose ends lie on its edges. An edge is met by two cells at most,
// so that segments join to lines, open or closed, by the numbers of their edges.

// Edges of a cell: 0 below, 1 to the right, 2 above, 3 to the left. Corners: 1 lower left, 2 lower right, 4 upper
// right, 8 upper left. The pairs of edges for each set of corners above the level; two saddles are told apart by their mean.
const SEGMENTS = [
  [], [3, 0], [0, 1], [3, 1], [1, 2], [3, 0, 1, 2], [0, 2], [3, 2],
  [2, 3], [2, 0], [0, 1, 2, 3], [2, 1], [1, 3], [1, 0], [0, 3], [],
];
const OTHER_SADDLE = { 5: [3, 2, 0, 1], 10: [3, 0, 1, 2] };

/** Return for each level the lines of points [column, row], in units of the grid, on which a field {data, shape} has it. */
export function contours({ data, shape: [rows, columns] }, levels) {
  const cells = crossed(data, rows, columns, levels);
  return levels.map((level, k) => {
    const joined = jointsOf(2 * rows * columns);
    for (const at of cells[k]) joinWithin(joined, data, rows, columns, level, at);
    return lines(joined, startsOf(rows, columns, cells[k]), (edge) => crossing(data, rows, columns, level, edge));
  });
}

/** Return for each level the cells that it crosses, by the number of their lower left corner. */
function crossed(data, rows, columns, levels) {
  const above = new Uint8Array(rows * columns);
  for (const level of levels) for (let at = 0; at < above.length; at++) above[at] += data[at] > level ? 1 : 0;
  const cells = levels.map(() => []);
  for (let row = 0; row + 1 < rows; row++) {
    for (let at = row * columns; at + 1 < (row + 1) * columns; at++) {
      const count = above[at];
      if (count === above[at + 1] && count === above[at + columns] && count === above[at + columns + 1]) continue;
      levels.forEach((level, k) => cornersOf(data, at, columns, level) % 15 && cells[k].push(at));
    }
  }
  return cells;
}

/** Return the set of the corners of a cell that are above a level. */
function cornersOf(data, at, columns, level) {
  return (data[at] > level ? 1 : 0) | (data[at + 1] > level ? 2 : 0)
    | (data[at + columns + 1] > level ? 4 : 0) | (data[at + columns] > level ? 8 : 0);
}

let kept = new Int32Array(0);

/** Return room for the one or two edges that each edge is joined to, -1 where there is none: lines() leaves it so. */
function jointsOf(edges) {
  if (kept.length !== 2 * edges) kept = new Int32Array(2 * edges).fill(-1);
  return kept;
}

/** Join the edges of a cell that the level passes through. */
function joinWithin(joined, data, rows, columns, level, at) {
  const size = rows * columns;
  const edges = [at, size + at + 1, at + columns, size + at];
  const pairs = segments(cornersOf(data, at, columns, level), data, at, columns, level);
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [edges[pairs[k]], edges[pairs[k + 1]]];
    joined[2 * a + (joined[2 * a] < 0 ? 0 : 1)] = b;
    joined[2 * b + (joined[2 * b] < 0 ? 0 : 1)] = a;
  }
}

function segments(corners, data, at, columns, level) {
  if (corners !== 5 && corners !== 10) return SEGMENTS[corners];
  const mean = (data[at] + data[at + 1] + data[at + columns] + data[at + columns + 1]) / 4;
  return mean > level ? OTHER_SADDLE[corners] : SEGMENTS[corners];
}

/** Return where the level is crossed on an edge: one that runs across, or, numbered from rows x columns on, upwards. */
function crossing(data, rows, columns, level, edge) {
  const size = rows * columns;
  const upwards = edge >= size;
  const at = upwards ? edge - size : edge;
  const [here, there] = [data[at], data[at + (upwards ? columns : 1)]];
  const share = here === there ? 0.5 : (level - here) / (there - here);
  const [column, row] = [at % columns, Math.floor(at / columns)];
  return upwards ? [column, row + share] : [column + share, row];
}

/** Return edges of which each line has one: the border's, where open lines end, then the lower ones of cells. */
function startsOf(rows, columns, cells) {
  const size = rows * columns;
  const numbers = (count, edge) => Array.from({ length: count }, (_, k) => edge(k));
  return [
    ...numbers(columns, (k) => k), ...numbers(columns, (k) => size - columns + k),
    ...numbers(rows, (k) => size + k * columns), ...numbers(rows, (k) => size + (k + 1) * columns - 1), ...cells,
  ];
}

/** Follow the joints from each start whose line was not found yet: to the border, or around to where it began. */
function lines(joined, starts, point) {
  const found = [];
  for (const start of starts) {
    if (joined[2 * start] < 0) continue;
    const line = [];
    for (let edge = start, next; edge >= 0; edge = next) {
      line.push(point(edge));
      next = joined[2 * edge] >= 0 ? joined[2 * edge] : joined[2 * edge + 1];
      joined[2 * edge] = joined[2 * edge + 1] = -1;
      if (next < 0) break;
      if (joined[2 * next] === edge) joined[2 * next] = -1;
      else if (joined[2 * next + 1] === edge) joined[2 * next + 1] = -1;
    }
    found.push(line);
  }
  return found;
}
