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

/** Return the lines of points [column, row], in units of the grid, on which a field {data, shape} has a level. */
export function contours({ data, shape: [rows, columns] }, level) {
  const joined = joints(data, rows, columns, level);
  return lines(joined, (edge) => crossing(data, rows, columns, level, edge));
}

/** Return for each edge the one or two edges that it is joined to; -1 where there is none. */
function joints(data, rows, columns, level) {
  const joined = new Int32Array(4 * rows * columns).fill(-1);
  const join = (a, b) => {
    joined[2 * a + (joined[2 * a] < 0 ? 0 : 1)] = b;
    joined[2 * b + (joined[2 * b] < 0 ? 0 : 1)] = a;
  };
  const size = rows * columns;
  for (let row = 0; row + 1 < rows; row++) {
    let at = row * columns;
    let left = (data[at] > level ? 1 : 0) | (data[at + columns] > level ? 8 : 0);
    for (let column = 0; column + 1 < columns; column++, at++) {
      const right = (data[at + 1] > level ? 2 : 0) | (data[at + columns + 1] > level ? 4 : 0);
      const corners = left | right;
      left = (right >> 1) & 1 | (right << 1) & 8;
      if (corners === 0 || corners === 15) continue;
      const edges = [at, size + at + 1, at + columns, size + at];
      const pairs = segments(corners, data, at, columns, level);
      for (let k = 0; k < pairs.length; k += 2) join(edges[pairs[k]], edges[pairs[k + 1]]);
    }
  }
  return joined;
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

/** Follow the joints: from the ends of open lines first, then around what is left, back to where it began. */
function lines(joined, point) {
  const found = [];
  const walk = (start) => {
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
  };
  const count = joined.length / 2;
  for (let edge = 0; edge < count; edge++) if (joined[2 * edge] >= 0 && joined[2 * edge + 1] < 0) walk(edge);
  for (let edge = 0; edge < count; edge++) if (joined[2 * edge] >= 0) walk(edge);
  return found;
}
