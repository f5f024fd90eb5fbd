// SPDX-License-Identifier: BSD-3-Clause
// What an answer makes of one point, in words.

import { short } from "./frame.js";

const NEAR = 1e-6;

/** Return what is said of point i. */
export function explained(i, descent, { problem, task, labels }) {
  const { program, beta, proof: { f, b } } = descent;
  const value = f[i] + b;
  const y = program.target[i];
  const said = task === "regression" ? ofResidual(program, y, value, problem.decision)
    : labels ? ofMargin(program, y, value, problem.decision) : ofLevel(value, problem.decision);
  const coefficient = `coefficient ${problem.coefficient} = ${short(beta[i])}${roleOf(program, beta[i], i)}`;
  return `sample ${i}: ${said}; ${coefficient}.`;
}

/** Return what a coefficient makes of its sample; nothing of a machine in which all are alike. */
function roleOf({ lower, upper }, beta, i) {
  if (lower[i] === -Infinity && upper[i] === Infinity) return "";
  if (beta === 0) return ", no support vector";
  return beta > lower[i] && beta < upper[i] ? ", a free support vector" : ", a support vector at its bound";
}

function ofMargin({ lower }, y, value, decision) {
  const margin = y * value;
  const start = `class ${y > 0 ? "+1" : "\u22121"}, y (${decision}) = ${short(margin)} is`;
  if (lower.some((each) => each === -Infinity) && lower.every((each) => each !== 0)) {
    return `${start} on the ${margin > 0 ? "right" : "wrong"} side`;
  }
  const place = margin <= 0 ? "on the wrong side"
    : margin > 1 + NEAR ? "beyond the margin" : margin < 1 - NEAR ? "inside the margin" : "on the margin";
  return `${start} ${place}, slack \u03be = ${short(Math.max(0, 1 - margin))}`;
}

function ofLevel(value, decision) {
  const place = value > NEAR ? "inside" : value < -NEAR ? "outside" : "on the boundary";
  return `${decision} = ${short(value)} is ${place}, slack \u03be = ${short(Math.max(0, -value))}`;
}

function ofResidual({ epsilon }, y, value, decision) {
  const residual = y - value;
  const start = `target y = ${short(y)}, residual r = y \u2212 ${decision.replace("+", "\u2212")} = ${short(residual)}`;
  if (!epsilon) return start;
  const beyond = Math.abs(residual) - epsilon;
  const edge = residual > 0 ? "upper" : "lower";
  const place = beyond > NEAR ? `beyond its ${edge} edge` : beyond < -NEAR ? "inside the tube" : `on its ${edge} edge`;
  return `${start} is ${place}, slack \u03be = ${short(Math.max(0, beyond))}`;
}
