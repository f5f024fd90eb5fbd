// SPDX-License-Identifier: BSD-3-Clause
// The bar that steps through an algorithm: to the start, back, play or pause, step, to the end, a slider and the speed.
//
// It keeps time with the frames: while it plays, a step is asked for after the last one was drawn, and not before.

import { button, element, say, select } from "./panels/element.js";

// [name, words, steps a second, steps at once]
const SPEEDS = [
  ["slow", "1 a second", 1, 1],
  ["usual", "5 a second", 5, 1],
  ["quick", "20 a second", 20, 1],
  ["fast", "10 at once", 20, 10],
];

/**
 * Fill a container with the bar, and return {update, pause}.
 *
 * getStep() is the step of the frame that was drawn last, count() that of the last step, and setStep(k) asks for the
 * frame of step k. The page calls update() after it has drawn a frame.
 */
export function playerBar(container, { getStep, setStep, count }) {
  return new Player(container, getStep, setStep, count);
}

class Player {
  constructor(container, getStep, setStep, count) {
    Object.assign(this, { container, getStep, setStep, count, playing: false, asked: null, due: 0, timer: 0 });
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.speed = SPEEDS[calm ? 0 : 1];
    this.build();
    this.update();
  }

  build() {
    this.first = button("⇤", "To the start", () => this.go(0));
    this.back = button("←", "Back a step", () => this.go(this.step - 1));
    this.play = button("▶", "Play", () => (this.playing ? this.pause() : this.begin()), { class: "lab-play" });
    this.next = button("→", "Forward a step", () => this.go(this.step + 1));
    this.last = button("⇥", "To the end", () => this.go(this.count()));
    this.range = element("input", { type: "range", min: 0, step: 1, "aria-label": "Step", oninput: () =>
      this.go(Number(this.range.value)) });
    this.place = element("output", { class: "lab-place" });
    const speeds = SPEEDS.map(([name, words]) => [name, words]);
    this.rate = select("Speed", speeds, this.speed[0], (name) => (this.speed = SPEEDS.find(([each]) => each === name)));
    const bar = element("div", { class: "lab-bar", role: "group", "aria-label": "Steps of the algorithm",
      onkeydown: (event) => this.key(event) },
    this.first, this.back, this.play, this.next, this.last, this.range, this.place, this.rate);
    this.container.replaceChildren(bar);
  }

  /** The step that is shown, or was asked for last. */
  get step() {
    return this.asked ?? this.getStep();
  }

  /** A frame was drawn: show where it stands, and go on if this plays. */
  update() {
    const [step, most] = [this.getStep(), this.count()];
    if (this.asked !== null && (step === this.asked || this.asked > most)) this.asked = null;
    this.container.hidden = !(most > 0);
    this.range.max = most;
    if (this.asked === null) this.range.value = step;
    this.range.setAttribute("aria-valuetext", `step ${step} of ${most}`);
    say(this.place, `${step} / ${most}`);
    for (const each of [this.first, this.back]) each.setAttribute("aria-disabled", step <= 0);
    for (const each of [this.next, this.last]) each.setAttribute("aria-disabled", step >= most);
    if (!this.playing) return;
    if (step >= most) this.pause();
    else if (this.asked === null) this.wait();
  }

  begin() {
    if (!(this.count() > 0)) return;
    this.playing = true;
    this.show();
    this.due = performance.now();
    if (this.getStep() >= this.count()) this.ask(0);
    else this.advance();
  }

  pause() {
    this.playing = false;
    window.clearTimeout(this.timer);
    this.show();
  }

  /** The step asked for was drawn: wait for the rest of its time, then ask for the next. */
  wait() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.advance(), Math.max(0, this.due - performance.now()));
  }

  advance() {
    const [, , perSecond, atOnce] = this.speed;
    this.due = performance.now() + 1000 / perSecond;
    if (this.playing) this.ask(this.getStep() + atOnce);
  }

  /** Go to a step by hand: whatever plays, pauses. */
  go(step) {
    this.pause();
    this.ask(step);
  }

  ask(step) {
    this.asked = Math.min(Math.max(step, 0), this.count());
    if (this.asked === this.getStep()) this.asked = null;
    else this.setStep(this.asked);
  }

  show() {
    const words = this.playing ? "Pause" : "Play";
    say(this.play, this.playing ? "‖" : "▶");
    this.play.title = words;
    this.play.setAttribute("aria-label", words);
  }

  /** Arrows, Home and End anywhere in the bar, except where they belong to the slider or the speed. */
  key(event) {
    if (event.target === this.range || event.target === this.rate || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = { ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: 0, End: this.count() }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }
}
