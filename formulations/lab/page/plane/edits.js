// SPDX-License-Identifier: BSD-3-Clause
// Points added, moved, relabelled and removed: new lists, in which what stays is the same object.

/** Return a point at a place: with a label of a classification, without one of a regression. */
export function pointAt(u, v, label) {
  return label === null ? [u, v] : [u, v, label];
}

export function added(points, point) {
  return [...points, point];
}

export function moved(points, i, u, v) {
  return points.with(i, pointAt(u, v, points[i][2] ?? null));
}

/** Return the points with one of the other class, or of the class given. */
export function relabelled(points, i, label = -points[i][2]) {
  return points[i].length === 3 && points[i][2] !== label ? points.with(i, [...points[i].slice(0, 2), label]) : points;
}

export function removed(points, i) {
  return points.toSpliced(i, 1);
}

/** Return the number of the point nearest to a pixel, within a reach; null where there is none. */
export function nearest(points, axes, x, y, reach) {
  let [found, least] = [null, reach * reach];
  points.forEach(([u, v], i) => {
    const distance = (axes.x(u) - x) ** 2 + (axes.y(v) - y) ** 2;
    if (distance <= least) [found, least] = [i, distance];
  });
  return found;
}

/** Say a point. */
export function spoken(points, i) {
  const [u, v, label] = points[i];
  const kind = label === undefined ? "" : `, class ${label > 0 ? "+1" : "\u22121"}`;
  return `Point ${i + 1} of ${points.length}${kind}, at ${numeral(u)}, ${numeral(v)}`;
}

export function numeral(value) {
  return String(Number(value.toPrecision(3))).replace("-", "\u2212");
}
