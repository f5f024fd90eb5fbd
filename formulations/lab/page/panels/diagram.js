// SPDX-License-Identifier: BSD-3-Clause
// The tabs of the views, the diagram of the chosen one, and the bar that steps through it, which stands below the picture.

import { CanvasPainter } from "../paint.js";
import { playerBar } from "../player.js";
import { nearest } from "../plane/edits.js";
import { machineOf } from "../state/setting.js";
import { element, newId, say } from "./element.js";
import { Ring } from "./ring.js";

const AGAIN = 300;
const WORKING = "Working \u2026";

const REACH = 12;
const REACH_OF_A_FINGER = 22;
const PIXELS = { x: (x) => x, y: (y) => y };

/** Return {setting, numbers} of the points that a frame was fitted to; without numbers where these are all. */
function fittedOf(frame) {
  return frame.fitted ?? { setting: frame.setting };
}

/** Return a frame and its setting, of the points alone that it was fitted to. */
function ofFitted(frame) {
  if (!frame.fitted) return [frame, frame.setting];
  const { setting, numbers } = frame.fitted;
  const { view } = frame.facts;
  const fewer = ({ data, shape }) => (data.length === frame.setting.points.length && shape.length === 1
    ? { data: Float32Array.from(numbers, (i) => data[i]), shape: [numbers.length] } : { data, shape });
  const arrays = Object.fromEntries(Object.entries(frame.arrays).map(
    ([name, array]) => [name, name.startsWith("view.") ? array : fewer(array)]));
  const marked = view.marked?.map((i) => numbers.indexOf(i));
  return [{ ...frame, arrays, setting, facts: { ...frame.facts, view: { ...view, marked } } }, setting];
}

/** The views of a menu; they change the store. on = {hovered(i), chosen(i)} is told of samples of the diagram. */
export class Diagram {
  constructor(menu, diagrams, store, on) {
    Object.assign(this, { menu, diagrams, store, on, views: menu.views, frame: null, places: [], marked: null, larger: 1 });
    const panel = newId("view");
    this.tabs = menu.views.map(({ name, title }) => element("button", {
      type: "button", role: "tab", "aria-controls": panel, "data-view": name, onclick: () => this.choose(name),
    }, title));
    this.list = element("div", { class: "lab-tabs", role: "tablist", "aria-label": "Views", hidden: this.tabs.length < 2,
      onkeydown: (event) => this.key(event) }, this.tabs);
    this.canvas = element("canvas", { role: "img" });
    this.caption = element("p", { class: "lab-caption" });
    this.player = element("div", { class: "lab-player" });
    this.panel = element("div", { id: panel, class: "lab-diagram", role: "tabpanel", hidden: true }, this.caption,
      this.canvas);
    // A sample is in two panels at most.
    this.rings = [new Ring(this.panel), new Ring(this.panel)];
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.panel);
    const shown = () => ((this.frame && !this.isOther && this.frame.facts.view) || {});
    this.bar = playerBar(this.player, {
      getStep: () => shown().step ?? 0,
      setStep: (step) => this.step(step),
      count: () => shown().steps ?? 0,
    });
  }

  listen() {
    const pointed = (act) => (event) => act(this.sampleAt(event));
    this.canvas.addEventListener("pointermove", pointed((i) => this.on.hovered(i)));
    this.canvas.addEventListener("pointerleave", () => this.on.hovered(null));
    this.canvas.addEventListener("click", pointed((i) => i !== null && this.on.chosen(i)));
  }

  /** Return the sample whose dot an event is at; null where there is none, or no such point any more. */
  sampleAt({ offsetX, offsetY, pointerType }) {
    const reach = pointerType === "touch" ? REACH_OF_A_FINGER : REACH;
    const place = nearest(this.places, PIXELS, offsetX / this.larger, offsetY / this.larger, reach);
    if (place === null || this.frame.setting.points.length !== this.store.setting.points.length) return null;
    const { setting, numbers } = fittedOf(this.frame);
    const k = place % setting.points.length;
    return numbers?.[k] ?? k;
  }

  /** Mark the dots of a sample; none of null. */
  mark(i) {
    this.marked = i;
    const { setting, numbers } = this.frame ? fittedOf(this.frame) : {};
    const { length } = setting?.points ?? [];
    const at = i === null ? null : numbers?.indexOf(i) ?? i;
    const { offsetLeft, offsetTop } = this.canvas;
    this.rings.forEach((ring, k) => {
      const place = at === null || at < 0 || this.canvas.hidden ? undefined : this.places[at + k * length];
      ring.at(place && [offsetLeft + this.larger * place[0], offsetTop + this.larger * place[1]]);
    });
  }

  /** Draw the diagram so many times larger. */
  enlarge(larger) {
    this.larger = larger;
    this.draw();
  }

  choose(name) {
    this.isChosen = true;
    if (name !== this.store.setting.view.name) this.store.change({ view: { name, step: 0 } }, { undoable: false });
  }

  /** Show a step of the view. */
  step(step) {
    const { view } = this.store.setting;
    this.store.change({ view: { ...view, step } }, { undoable: false });
  }

  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const open = this.tabs.filter((tab) => !tab.disabled);
    const next = open.at((open.indexOf(document.activeElement) + by) % open.length);
    next.focus();
    next.click();
    event.preventDefault();
  }

  update(setting) {
    const { name } = setting.view;
    const { refusals } = machineOf(this.menu, setting);
    for (const tab of this.tabs) {
      const here = tab.dataset.view === name;
      tab.title = refusals[tab.dataset.view] ?? "";
      tab.disabled = Boolean(tab.title) && !here;
      tab.setAttribute("aria-selected", here);
      tab.tabIndex = here ? 0 : -1;
    }
    if (this.isOther) this.refresh();
  }

  show(frame) {
    this.frame = frame;
    this.askAgain(frame.facts.view?.pending);
    this.refresh();
    // Where it is not beside the picture it may lie below the window.
    if (this.isChosen && !this.panel.hidden) this.panel.scrollIntoView({ block: "nearest" });
    this.isChosen = false;
  }

  /** Whether the frame is of a view that was chosen before: nothing of it may stand under the new tab. */
  get isOther() {
    return this.frame?.setting.view.name !== this.store.setting.view.name;
  }

  refresh() {
    const { facts, arrays } = this.isOther ? { facts: {}, arrays: {} } : this.frame;
    const { name } = this.store.setting.view;
    this.panel.hidden = !this.diagrams[this.isOther ? name : facts.view?.name];
    this.panel.setAttribute("aria-busy", this.isOther || facts.view?.pending === true);
    this.canvas.hidden = !Object.keys(arrays).some((each) => each.startsWith("view."));
    say(this.caption, this.isOther ? WORKING : facts.view?.words ?? "");
    this.panel.setAttribute("aria-label", this.title(name));
    this.canvas.setAttribute("aria-label", `Diagram: ${this.title(name)}`);
    this.draw();
    this.bar.update();
  }

  /** Ask for the same view later, where the server is still at work on it. */
  askAgain(isPending) {
    window.clearTimeout(this.waiting);
    if (isPending) this.waiting = window.setTimeout(() => this.step(this.store.setting.view.step), AGAIN);
  }

  title(name) {
    return this.views.find((each) => each.name === name)?.title ?? "";
  }

  draw() {
    const draw = this.frame && this.diagrams[this.frame.facts.view?.name];
    this.places = [];
    if (draw) {
      const { clientWidth, clientHeight } = this.canvas;
      const [width, height] = [clientWidth, clientHeight].map((each) => each / this.larger);
      const painter = clientWidth && new CanvasPainter(this.canvas, width, height, this.larger * window.devicePixelRatio);
      this.places = (painter && draw(painter, ...ofFitted(this.frame))) || [];
    }
    this.mark(this.marked);
  }
}
