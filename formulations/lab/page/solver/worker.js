// SPDX-License-Identifier: BSD-3-Clause
// The lab without a server: a worker that solves, proves and draws what the page asks for, in the messages of
// formulations/lab/desk.py. It is told first what the menu is, {menu}.

import { check } from "../state/setting.js";
import { Descent } from "./descent.js";
import { frameOf } from "./frame.js";
import { programOf } from "./program.js";
import { VIEWS } from "./views.js";
import { explained } from "./words.js";

const TOL = 1e-6;
/** Milliseconds of a solve before its first frame, and between two frames at most; and after which none is sought. */
const [FIRST, LONGEST, ENOUGH] = [60, 1000, 20000];
const IN_PYTHON = "This needs Python: install the package qpkernels, then type qpkernels lab in a terminal.";

let [menu, setting, seq, answer] = [null, null, 0, null];

/** Return the coefficients to begin with: those of an answer for as many points, or for one less. */
function startOf(next) {
  if (!answer?.descent || answer.setting.machine.name !== next.machine.name) return null;
  const { beta } = answer.descent;
  return [0, 1].includes(next.points.length - beta.length) ? beta : null;
}

/** Answer a setting, as far as the first frame has time; one that differs in window and view is answered already. */
function begin(next) {
  const problem = JSON.stringify([next.machine, next.kernel, next.points]);
  if (answer?.problem === problem) {
    answer.setting = next;
    return;
  }
  const start = startOf(next);
  const choice = menu.machines.find(({ name }) => name === next.machine.name);
  answer = { problem, setting: next, choice, spent: 0, slice: FIRST };
  attempt(() => {
    if (next.points.length > menu.most_points) {
      throw new Error(`a browser solves for at most ${menu.most_points} points, but there are ${next.points.length}; remove `
        + "some, or install qpkernels, whose lab solves for thousands.");
    }
    answer.descent = new Descent(programOf(next, choice), start);
    run();
  });
}

/** Go on for a slice of time. */
function run() {
  answer.spent += answer.slice;
  answer.isOpen = answer.descent.run(TOL, answer.slice) && answer.spent < ENOUGH;
}

/** Go on from the answer that is shown, for longer than before. */
function improve() {
  answer.slice = Math.min(2 * answer.slice, LONGEST);
  attempt(run);
}

/** Do something that may find that there is no answer. */
function attempt(act) {
  try {
    act();
  } catch (error) {
    Object.assign(answer, { error: error.message, marked: error.marked ?? [], isOpen: false, descent: null });
  }
}

/** Draw nothing for a view that the worker does not have. */
function inPython() {
  return { facts: { words: IN_PYTHON }, arrays: {} };
}

function show() {
  const { choice, descent, error, marked, isOpen } = answer;
  let frame;
  if (error === undefined) {
    frame = frameOf(setting, descent, choice, TOL, isOpen);
    const drawn = (VIEWS[setting.view.name] ?? inPython)(descent, choice);
    Object.assign(frame.facts.view, drawn.facts);
    for (const [name, array] of Object.entries(drawn.arrays)) frame.arrays[`view.${name}`] = array;
  } else {
    const view = { name: setting.view.name, step: 0, marked };
    const facts = { samples: setting.points.length, error, unfinished: false, formulas: [], ...choice?.problem, view };
    frame = { facts, arrays: {} };
  }
  frame.facts.seq = seq;
  postMessage({ frame }, Object.values(frame.arrays).map(({ data }) => data.buffer));
  const shown = seq;
  if (isOpen) setTimeout(() => shown === seq && (improve(), show()));
}

/** Return the answer to a question about the setting; throws an Error in words. */
function answerTo({ ask, sample }) {
  if (ask === "explain" && answer?.descent && sample < setting.points.length) {
    return explained(sample, answer.descent, answer.choice);
  }
  throw new Error(ask === "explain" ? "there is no sample to explain." : IN_PYTHON);
}

function take(message) {
  if (message.ask !== undefined) {
    let said;
    try {
      said = { answer: answerTo(message) };
    } catch (error) {
      said = { refused: error.message };
    }
    postMessage({ text: JSON.stringify({ seq: message.seq, ...said }) });
    return;
  }
  seq = message.seq;
  const moved = new Map((message.points ?? []).map(([number, ...point]) => [number, point]));
  const next = message.setting ?? { ...setting, points: setting.points.map((point, k) => moved.get(k) ?? point) };
  try {
    check(menu, next);
  } catch (error) {
    postMessage({ text: JSON.stringify({ refused: error.message }) });
    return;
  }
  setting = next;
  begin(setting);
  show();
}

onmessage = ({ data }) => (data.menu ? (menu = data.menu) : take(JSON.parse(data.text)));
