// SPDX-License-Identifier: BSD-3-Clause
// The lab in one element: the picture, its controls, its proof, and the views.
//
// mount(root, connect, diagrams) builds it; connect(handlers) is a transport as in wire/socket.js, diagrams are those of
// views/index.js or some of them, and address is one as in state/address.js, of a page that has its own. Where
// connect.isAlone, a page has one connection at most. All CSS is below the class qp-lab, which root is given.

import { Controls } from "./panels/controls.js";
import { Diagram } from "./panels/diagram.js";
import { button, element } from "./panels/element.js";
import { Legend } from "./panels/legend.js";
import { Proof } from "./panels/proof.js";
import { Ring } from "./panels/ring.js";
import { Second } from "./panels/second.js";
import { SetsPanel } from "./panels/sets.js";
import { Sheet } from "./panels/sheet.js";
import { Stories } from "./panels/stories.js";
import { Table } from "./panels/table.js";
import { Testing } from "./panels/testing.js";
import { Toolbar } from "./panels/toolbar.js";
import { readColours } from "./paint.js";
import { drawPicture } from "./picture.js";
import { axesOf } from "./plane/axes.js";
import { Hand } from "./plane/hand.js";
import { Plane } from "./plane/plane.js";
import { followScheme } from "./scheme.js";
import { Held } from "./state/held.js";
import { complete, firstPoints, machineOf, sameParts } from "./state/setting.js";
import { Store } from "./state/store.js";
import { takeButtons } from "./take.js";
import { Conversation } from "./wire/conversation.js";
import { Errands } from "./wire/errands.js";

const MOST_LATENCIES = 10000;
const HOVER = 120;
const LATE = 400;
/** How much larger points and words are in a lecture, in the picture and in the diagram over it. */
const [LARGER, LARGER_DIAGRAM] = [1.6, 1.2];
const PROBLEM = ["machine", "kernel", "points"];

/** Build the lab, and return it: {latencies, setting, frame}, also as window.lab. */
export function mount(root, connect, diagrams, address = null) {
  const lab = new Lab(root, diagrams, address, connect.isAlone ? null : connect);
  lab.conversation = new Conversation(connect, {
    menu: (menu) => lab.begin(menu),
    setting: (setting) => lab.store.change(complete(lab.menu, setting)),
    notice: (words) => lab.proof.tell("waiting", words),
    frame: (frame) => lab.show(lab.held.whole(frame)),
    refused: (words) => lab.refused(words),
    closed: (words) => lab.closed(words),
  });
  window.lab = lab;
  return lab;
}

/** Return a panel with the group that it is of. */
function of(group, node) {
  node.dataset.of = group;
  return node;
}

class Lab {
  /** connect opens further connections; it is null where there is none beside the page's own. */
  constructor(root, diagrams, address, connect) {
    const errands = connect && new Errands(connect);
    Object.assign(this, { root, diagrams, address, connect, errands, held: new Held(), second: null });
    Object.assign(this, { latencies: [], menu: null, over: null, pointed: null });
    root.classList.add("qp-lab");
    this.store = new Store(null, (setting, how) => this.changed(setting, how));
    this.hand = new Hand(this.store, () => this.looked(), (words) => this.proof.explain(words));
    this.plane = new Plane(this.store, this.hand, (i) => this.hovered(i));
    this.ring = new Ring(this.plane.node);
    this.toolbar = new Toolbar(this.store, this.hand, (isLecture) => this.lecture(isLecture));
    this.proof = new Proof();
    this.hint = this.proof.sentence.textContent;
    this.legend = new Legend();
    this.build();
    this.listen();
  }

  /** The setting that the page shows, and the frame that it drew last. */
  get setting() {
    return this.store.setting;
  }

  get frame() {
    return this.plane.frame;
  }

  build() {
    const { toolbar, plane, legend, proof } = this;
    this.pair = element("div", { class: "lab-pair" }, plane.node);
    this.stage = element("div", { class: "lab-stage" }, toolbar.node, this.pair);
    this.centre = element("section", { class: "lab-centre", "aria-label": "Picture" }, this.stage, proof.sentence,
      of("proof", legend.node));
    this.side = element("div", { class: "lab-side" });
    this.under = element("div", { class: "lab-under" });
    this.right = element("div", { class: "lab-right" }, of("proof", proof.node), of("proof", proof.more));
    this.sheet = new Sheet(this.root, (isGrouped) => this.placeStatus(isGrouped));
    this.head = element("header", { class: "lab-head" }, element("h1", {}, "Kernel machines: the lab"), proof.status);
    this.root.append(this.head,
      element("main", { class: "lab-main" }, this.centre, this.side, this.under, this.right, this.sheet.node));
  }

  /** What is proved is said above the picture: in the head of the page, or where that may be out of sight, close to it. */
  placeStatus(isGrouped) {
    if (this.second) window.setTimeout(() => this.second && this.placeSecond());
    if (isGrouped) this.stage.prepend(this.proof.status);
    else this.head.append(this.proof.status);
  }

  /** Show a second machine beside the first, or no longer. */
  compare() {
    if (this.second) {
      this.second.end();
      this.second.node.remove();
      this.second = null;
    } else {
      this.second = new Second(this.menu, this.store, this.hand, this.held, this.connect);
      this.placeSecond();
      this.second.plane.enlarge(this.plane.larger);
    }
    this.comparing.setAttribute("aria-pressed", this.second !== null);
    this.root.classList.toggle("lab-two", this.second !== null);
  }

  /** A second picture is beside the first, or on a phone among the panels. */
  placeSecond() {
    const isAway = this.root.classList.contains("lab-grouped") && !this.sheet.isLecture;
    const { node } = this.second;
    if (isAway) this.comparing.after(of("test", node));
    else this.pair.append(node);
    if (!isAway) delete node.dataset.of;
    node.classList.remove("lab-away");
    this.sheet.fit();
  }

  /** Show the lab large, as a lecture hall needs it, or no longer. */
  lecture(isLecture) {
    this.sheet.lecture(isLecture);
    this.plane.enlarge(isLecture ? LARGER : 1);
    this.second?.plane.enlarge(isLecture ? LARGER : 1);
    this.diagram.enlarge(isLecture ? LARGER_DIAGRAM : 1);
    // Where a browser has no full screen for a page, the lab fills its window.
    if (isLecture) this.root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement === this.root) document.exitFullscreen();
  }

  listen() {
    this.root.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && this.sheet.isLecture) this.toolbar.lecture(false);
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.endScheme = followScheme(this.root, () => {
      readColours();
      this.plane.draw();
      this.diagram?.draw();
      this.proof.draw();
    });
    this.address?.listen(() => this.restore());
  }

  /** Be taken away: hear and ask no more. */
  end() {
    this.endScheme();
    this.diagram?.bar.pause();
    this.sheet.end();
    this.second?.end();
    this.conversation.transport.close();
    this.errands?.end();
  }

  /** Undo and redo; no key goes further, since a notebook around the lab has shortcuts of its own. */
  key(event) {
    event.stopPropagation();
    if (event.key === "Escape" && this.sheet.isLecture) this.toolbar.lecture(false);
    const isText = event.target.matches?.("input[type=number], input[type=text]");
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isText) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.store.redo();
    else this.store.undo();
  }

  /** The server is there (again): build what its menu lists, and ask for the picture. */
  begin(menu) {
    if (!this.menu) this.start(menu);
    else this.conversation.show(this.held.fitted(this.setting), null);
  }

  start(menu) {
    this.menu = menu;
    this.hand.most = menu.most_points;
    this.plane.slider = (name) => machineOf(menu, this.setting).sliders.find((each) => each.name === name);
    this.controls = new Controls(menu, this.store);
    this.diagram = new Diagram(menu, this.diagrams, this.store, {
      hovered: (i) => this.hovered(i, true), chosen: (i) => this.hand.select(i),
    });
    this.head.firstChild.after(this.controls.head);
    this.stories = new Stories(menu, this.store, this.errands && ((setting) => this.errands.solve(setting)),
      { chosen: (i) => this.hand.select(i), begun: () => this.testing.none() });
    this.sets = new SetsPanel(menu, this.store, this.keeping());
    this.table = new Table(menu, this.store, (i) => this.hand.select(i));
    this.side.append(of("machine", this.controls.node), of("stories", this.stories.node), of("points", this.sets.node),
      of("points", this.taking()));
    if (menu.more) this.side.append(of("machine", element("p", { class: "lab-words" }, menu.more)));
    this.testing = new Testing(menu, this.store, this.held, this.errands && ((setting) => this.errands.solve(setting)));
    this.comparing = button("Compare two machines", "Show a second machine on the same points", () => this.compare(),
      { "aria-pressed": "false", hidden: !this.connect });
    this.under.append(of("test", this.testing.node), of("test", this.comparing), of("points", this.table.node));
    this.right.before(of("views", this.diagram.list));
    this.right.prepend(of("views", this.diagram.panel));
    this.pair.after(this.diagram.player);
    this.sheet.fit();
    this.store.setting = this.first();
    this.changed(this.setting, { stamp: null, settled: true });
  }

  /** Say for whom the browser keeps sets of points: for an address with its port. */
  keeping() {
    if (this.menu.more) return "This browser keeps them for this site.";
    if (!this.address) return "This browser keeps them for the address of this notebook.";
    const { host, port } = window.location;
    return `This browser keeps them for the address ${host}: qpkernels lab --port ${port} has them again.`;
  }

  /** Return the place of all that can be taken from the page. */
  taking() {
    const node = element("fieldset", { class: "lab-take" }, element("legend", {}, "Take it with you"));
    takeButtons(node, {
      files: this.menu.files,
      ask: (what) => new Promise((heard, refused) => this.conversation.ask({ ask: what }, heard, refused)),
      points: () => this.setting.points,
      paint: (painter) => drawPicture(painter, this.frame, this.setting),
      link: this.address && (() => this.link()),
    });
    return node;
  }

  /** Return {text, words}: what whoever gets it opens, and what is said of it. The address of a server is of no use to
   * others, and that of a site where its browser does not solve the machine neither. */
  link() {
    const { menu: { more, site, in_browser: solved, most_in_browser: most }, setting, address } = this;
    if (more) return { text: address.link(setting), words: "Link copied: whoever opens it sees this proved again." };
    const { title } = machineOf(this.menu, setting);
    const tooMany = setting.points.length > most;
    if (site && solved.includes(setting.machine.name) && !tooMany) {
      const shown = { ...setting, view: { name: "picture", step: 0 } };
      return { text: address.link(shown, site), words: "Link copied: it opens the lab of the site, which needs no "
        + "installation." };
    }
    const why = !site ? "this lab knows no site" : tooMany ? `browsers solve at most ${most} points`
      : `browsers do not solve ${title}`;
    return { text: `qpkernels lab --link '${new URL(address.link(setting)).hash}'`, words: "Copied as a command for a "
      + `computer with qpkernels, since the address of this page is that of your computer alone and ${why}.` };
  }

  /** Return the setting of the address, or that of the menu, or one to begin with. */
  first() {
    try {
      const raw = this.address?.read();
      if (raw) return complete(this.menu, raw);
    } catch (error) {
      this.proof.explain(`This link cannot be shown: ${error.message} An example is shown instead.`);
    }
    const start = this.menu.start ?? this.menu.presets?.[0]?.setting;
    return complete(this.menu, start ?? { points: firstPoints("classification") });
  }

  /** Show what the address holds now. */
  restore() {
    this.restoring = true;
    this.store.change(this.first());
    this.restoring = false;
  }

  /** The setting has changed. */
  changed(setting, { stamp, settled }) {
    const before = this.shown;
    this.shown = setting;
    this.hand.forTask(machineOf(this.menu, setting).task);
    if (this.hand.selected >= setting.points.length) this.hand.selected = null;
    if (before !== setting) {
      this.ring.at(this.placeOf(this.pointed));
      this.conversation.show(this.held.fitted(setting), stamp);
      this.second?.update();
      this.expect();
      this.stories.forget();
    }
    this.plane.drawSoon();
    this.controls.update(setting);
    this.table.update();
    this.toolbar.update();
    this.diagram.update(setting);
    const other = before && (before.machine.name !== setting.machine.name || before.view.name !== setting.view.name);
    if (settled || before === setting) this.address?.write(setting, other && !this.restoring);
  }

  /** A proof is that of the setting it was made for: where the next one takes long, none is claimed meanwhile. */
  expect() {
    if (this.isLate) this.tellLate();
    else this.late ??= window.setTimeout(() => this.tellLate(), LATE);
  }

  /** Say what is waited for: where that is another problem, what is shown is of the one before. */
  tellLate() {
    if (!this.conversation.flying) return;
    this.isLate = true;
    const isNew = !this.frame || !sameParts(this.frame.setting, this.setting, PROBLEM);
    this.proof.tell("waiting", isNew ? "Solving the new problem \u2026" : "Drawing the view \u2026");
    const isBefore = isNew && this.frame !== null;
    this.root.classList.toggle("lab-before", isBefore);
    if (isBefore) this.proof.outdate();
  }

  /** What was awaited has come, or never will. */
  arrived() {
    window.clearTimeout(this.late);
    Object.assign(this, { late: null, isLate: false });
  }

  refused(words) {
    this.arrived();
    this.proof.tell("error", `Not understood: ${words}`);
  }

  closed(words) {
    this.arrived();
    this.proof.tell("gone", words);
  }

  /** Draw a frame at once, and measure how long that took since the event that it answers. */
  show(frame) {
    this.arrived();
    if (this.conversation.flying) this.expect();
    this.plane.show(frame);
    if (frame.stamp !== null) {
      this.latencies.push(performance.now() - frame.stamp);
      if (this.latencies.length > MOST_LATENCIES) this.latencies.shift();
    }
    this.root.classList.remove("lab-before");
    this.proof.show(frame, machineOf(this.menu, frame.setting));
    this.table.show(frame);
    this.legend.show(frame);
    this.diagram.show(frame);
    this.controls.note(frame.facts.view);
    window.clearTimeout(this.describing);
    this.describing = window.setTimeout(() => this.describe(frame), HOVER);
  }

  /** Say in words what stands still now. */
  describe(frame) {
    this.plane.describe(machineOf(this.menu, frame.setting).title);
    const i = this.hand.selected ?? this.over;
    if (i !== null) this.explain(i);
    else this.forget();
    this.stories.look(frame);
    this.testing.look(frame);
  }

  looked() {
    this.plane.looked();
    this.second?.plane.looked();
    this.diagram?.mark(this.hand.selected);
    if (this.hand.selected === null) return;
    // What the pointer came over before would be explained last.
    window.clearTimeout(this.waiting);
    this.explain(this.hand.selected);
  }

  /** A pointer is over a sample, in the picture or in the diagram: each marks those of the other. */
  hovered(i, inDiagram = false) {
    if (i === this.over) return;
    this.over = i;
    this.diagram?.mark(i ?? this.hand.selected);
    this.pointed = inDiagram ? i : null;
    this.ring.at(this.placeOf(this.pointed));
    window.clearTimeout(this.waiting);
    if (i !== null) this.waiting = window.setTimeout(() => this.explain(i), HOVER);
  }

  /** Return where the picture has a sample, in pixels; nothing where it is none, or not in the window. */
  placeOf(i) {
    const point = this.setting.points[i];
    const { x, y, width, height } = axesOf(this.setting.window, this.plane.width, this.plane.height);
    const [across, down] = point ? [x(point[0]), y(point[1])] : [-1, -1];
    const isSeen = across >= 0 && across <= width && down >= 0 && down <= height;
    return isSeen ? [across, down].map((each) => each * this.plane.larger) : null;
  }

  /** Ask what becomes of a point, and say it. */
  explain(i) {
    const heard = (words) => {
      this.explained = true;
      this.proof.explain(words);
    };
    const sample = this.frame.fitted?.numbers.indexOf(i) ?? i;
    if (sample < 0) heard(`sample ${i} is held out: the machine was not fitted to it.`);
    else this.conversation.ask({ ask: "explain", sample }, heard, () => this.forget());
  }

  /** Take back what was said of a point: it was true of an earlier answer. */
  forget() {
    if (this.explained) this.proof.explain(this.hint);
    this.explained = false;
  }
}
