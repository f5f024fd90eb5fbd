// SPDX-License-Identifier: BSD-3-Clause
// Stories: one asks what will come of a change and makes it, another asks for something to be brought about. Both are
// judged by the proved answer that is shown, and by none that was written down before.

import { Answer } from "../stories/answer.js";
import { GOALS, Missing, otherMachine } from "../stories/goals.js";
import { PREDICTIONS } from "../stories/predictions.js";
import { complete, machineOf, sameParts } from "../state/setting.js";
import { button, element, say } from "./element.js";

const PROBLEM = ["machine", "kernel", "points"];

/** The stories that the machines of a menu can tell; they change the store. solve(setting) promises the frame of another
 * setting, and is null where there is no such thing; on = {chosen(i), begun()} is told of the point that a story is about, and
 * when one begins. */
export class Stories {
  constructor(menu, store, solve, on) {
    Object.assign(this, { menu, store, solve, on, open: null });
    const told = (stories) => stories.filter((story) => this.isTold(story));
    this.groups = [["What will happen?", told(PREDICTIONS)], ["Bring it about", told(GOALS)]];
    this.list = element("select", { "aria-label": "Story", onchange: () => this.begin(this.list.value) },
      element("option", { value: "" }, "Choose\u2026"),
      this.groups.map(([label, stories]) => element("optgroup", { label }, stories.map(
        ({ name, title }) => element("option", { value: name }, title)))));
    this.words = element("p", {});
    this.options = element("div", { class: "lab-options", role: "group", "aria-label": "Your prediction" });
    this.verdict = element("p", { class: "lab-verdict", role: "status" });
    this.again = button("Start again", "Begin this story again with its points", () => this.begin(this.open?.name));
    this.box = element("div", { hidden: true }, this.words, this.options, this.verdict, this.again);
    this.node = element("fieldset", { class: "lab-stories" }, element("legend", {}, "Stories"), this.list, this.box);
  }

  isTold({ start, isTwofold, view }) {
    const named = (choices, name) => choices.some((each) => each.name === name || each.others.includes(name));
    const example = this.menu.presets.find(({ name }) => name === start.example);
    return (!start.example || example !== undefined) && (!isTwofold || this.solve !== null)
      && (view === undefined || this.menu.views.some(({ name }) => name === view))
      && named(this.menu.machines, (start.machine ?? example.setting.machine).name);
  }

  /** Return the setting that a story begins with. */
  startOf({ start: { example, ...parts } }) {
    const preset = this.menu.presets.find(({ name }) => name === example);
    return complete(this.menu, { ...preset?.setting, ...parts });
  }

  /** Begin a story; with none, leave the one that is open. */
  begin(name) {
    this.open = this.groups.flatMap(([, stories]) => stories).find((each) => each.name === name) ?? null;
    Object.assign(this, { start: null, about: null, guess: null, acted: null });
    this.box.hidden = !this.open;
    this.tell("", "");
    if (!this.open) return;
    say(this.words, this.open.words);
    this.options.replaceChildren(...(this.open.options ?? []).map((words, k) =>
      element("button", { type: "button", disabled: true, onclick: () => this.predict(k) }, words)));
    this.options.hidden = !this.open.options;
    this.on.begun();
    this.store.change(this.startOf(this.open));
  }

  tell(state, words) {
    this.verdict.dataset.state = state;
    say(this.verdict, words);
  }

  /** Take back what was said of a goal: it was true of an earlier answer. */
  forget() {
    if (this.open?.check) this.tell("", "");
  }

  /** Look at a frame that stands still. */
  async look(frame) {
    const { open } = this;
    if (!open || frame.setting !== this.store.setting || frame.facts.unfinished) return;
    const answer = this.answerOf(frame);
    if (!this.start) this.started(answer);
    if (open.check) await this.judge(answer);
    else if (this.acted === frame.setting) this.compare(answer);
  }

  answerOf(frame) {
    return new Answer(frame, machineOf(this.menu, frame.setting));
  }

  /** The first answer of a story has come. */
  started(answer) {
    this.start = answer;
    this.about = this.open.pick?.(answer) ?? null;
    if (this.about !== null) this.on.chosen(this.about);
    for (const option of this.options.children) option.disabled = false;
  }

  /** The user has said what will come: make the change. */
  predict(guess) {
    if (!sameParts(this.store.setting, this.start.setting, PROBLEM)) {
      this.tell("open", "The points or the machine are no longer those of the story. Start it again.");
      return;
    }
    this.guess = guess;
    [...this.options.children].forEach((option, k) => {
      option.disabled = true;
      option.setAttribute("aria-pressed", k === guess);
    });
    this.tell("", "Solving\u2026");
    this.store.change(complete(this.menu, { ...this.store.setting, ...this.open.act(this.start, this.about) }));
    this.acted = this.store.setting;
  }

  /** Say which prediction came true, by the answers before and after. */
  compare(after) {
    const { open, start, about, guess } = this;
    this.acted = null;
    if (!after.isProved || !start.isProved) {
      this.tell("open", "One of the two answers is not proved, so that nothing can be said of them.");
      return;
    }
    const came = open.outcome(start, after, about);
    const verdict = came === guess ? "You were right." : `This is what happened: \u201c${open.options[came]}\u201d`;
    this.options.children[came].dataset.came = "";
    this.tell(came === guess ? "proved" : "open", `${verdict} ${open.why(start, after, about)}`);
    this.mark();
  }

  /** Say what a goal misses, or what is proved of the answer that has reached it. */
  async judge(answer) {
    const { open, start } = this;
    const { setting } = this.store;
    let state = "proved";
    let words;
    try {
      const other = otherMachine(this.menu, answer, start);
      if (other) throw new Missing(other);
      words = `Solved. ${await open.check(answer, start, async (each) => this.answerOf(await this.solve(each)))}`;
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      [state, words] = ["open", error.message];
    }
    if (open !== this.open || setting !== this.store.setting) return;
    this.tell(state, words);
    if (state === "proved") this.mark();
  }

  /** Mark the story as done in the list. */
  mark() {
    const option = [...this.list.options].find(({ value }) => value === this.open.name);
    say(option, `\u2713 ${this.open.title}`);
  }
}
