// SPDX-License-Identifier: BSD-3-Clause
// Mouse, touch and pen on the plane.

import { axesOf } from "./axes.js";
import { nearest } from "./edits.js";

/** Pixels, of a mouse or a pen and of a finger: how far off a point is hit, and in a quick press at another place; how
 * far off a press is at the same place; and how far off the edge of a tube is. */
const MOUSE = { point: 12, quick: 8, same: 6, edge: 12 };
const FINGER = { point: 22, quick: 12, same: 12, edge: 24 };
/** Milliseconds within which a press is quick after the one before. */
const QUICK = 400;
/** Pixels that a press may move and be a click. */
const STILL = 2;
/** Pixels to either side of a place between which the slope of a curve is taken. */
const BESIDE = 4;

/** Listens to a node that lies over the picture; plane = {store, hand, frame, width, height, hovered(i)}. */
export class Pointing {
  constructor(node, plane) {
    this.node = node;
    this.plane = plane;
    this.act = null;
    this.latest = -Infinity;
    this.before = { i: null, at: -Infinity, x: 0, y: 0 };
    for (const [name, listener] of Object.entries({
      pointerdown: (event) => this.down(event),
      pointerrawupdate: (event) => this.acted(event),
      pointermove: (event) => this.acted(event) || this.over(event),
      pointerup: (event) => this.up(event),
      pointercancel: (event) => this.up(event),
      pointerleave: () => plane.hovered(null),
      contextmenu: keep,
    })) node.addEventListener(name, listener);
    // A finger that begins on a point, or where it moves the window, does not scroll the page.
    node.addEventListener("touchstart", (event) => {
      if (this.act && !this.tap && event.cancelable) event.preventDefault();
    }, { passive: false });
    node.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Return the axes, and where an event is in pixels and in data units. */
  at(event) {
    const { store, width, height } = this.plane;
    const axes = axesOf(store.setting.window, width, height);
    const box = this.node.getBoundingClientRect();
    const scale = width / box.width || 1;
    const [x, y] = [scale * (event.clientX - box.left), scale * (event.clientY - box.top)];
    return { axes, x, y, u: axes.u(x), v: axes.v(y) };
  }

  hit({ axes, x, y }, reach) {
    return nearest(this.plane.hand.points, axes, x, y, reach);
  }

  /** Return whether a press came quickly after the one before, and whether at the same place. */
  follows({ x, y }, event) {
    const { at, x: left, y: top } = this.before;
    return [event.timeStamp - at < QUICK, Math.hypot(x - left, y - top) <= reachOf(event).same];
  }

  down(event) {
    if (event.button === 1 || this.act) return;
    // No mouse events come of it: of those with Shift, a notebook chooses cells.
    event.preventDefault();
    this.node.focus({ preventScroll: true });
    const place = this.at(event);
    const [isQuick, isSame] = this.follows(place, event);
    const reach = reachOf(event);
    // Of two quick clicks at two places the second is no miss of the first.
    const i = this.hit(place, this.plane.hand.adds && isQuick && !isSame ? reach.quick : reach.point);
    const isTwice = isQuick && isSame && i === this.before.i;
    const other = event.button === 2 || event.shiftKey;
    this.node.setPointerCapture(event.pointerId);
    this.plane.hand.cross = null;
    this.before = { i, at: event.timeStamp, x: place.x, y: place.y };
    this.act = i === null ? this.onNothing(place, event, other) : this.onPoint(i, place, other, isTwice);
  }

  /** Return what moving does after a point was pressed. */
  onPoint(i, place, other, isTwice) {
    const { hand } = this.plane;
    if (hand.mode === "delete" || (isTwice && hand.mode !== "relabel")) return this.removes(i);
    if (other || hand.mode === "relabel") hand.relabel(i);
    hand.select(i);
    return this.drags(i, place);
  }

  removes(i) {
    this.before.i = null;
    this.plane.hand.remove(i);
    return () => {};
  }

  /** Return what moving does after nothing was pressed: a new point moves on, or the tube, or the window. */
  onNothing(place, event, other) {
    const { hand } = this.plane;
    if (this.onTube(place, event)) return this.widens(place, () => this.adds(place, event, other));
    if (hand.mode === "move") return this.pans(place);
    return event.pointerType === "touch" ? this.taps(place, event) : this.adds(place, event, other);
  }

  /** Add a point in the modes that do, and return what moving does then. */
  adds(place, event, other) {
    const { hand } = this.plane;
    hand.select(null);
    if (!hand.adds) return () => {};
    const before = hand.points;
    hand.add(place.u, place.v, { other, gesture: "drag", stamp: event.timeStamp });
    return hand.points === before ? () => {} : this.drags(before.length, place);
  }

  /** A finger that stays where it is adds a point once it is lifted; one that moves on scrolls the page. */
  taps(place, event) {
    this.tap = () => this.adds(place, event, false);
    return (to) => {
      if (Math.hypot(to.x - place.x, to.y - place.y) > FINGER.same) this.tap = () => {};
    };
  }

  drags(i, from) {
    const { hand } = this.plane;
    const [u, v] = hand.points[i];
    const [du, dv] = [u - from.u, v - from.v];
    let begun = false;
    return (to, stamp) => {
      begun ||= isBeyond(from, to);
      if (begun) hand.move(i, to.u + du, to.v + dv, { stamp, gesture: "drag" });
    };
  }

  pans(from) {
    const [left, right, bottom, top] = this.plane.store.setting.window;
    const { across, up } = from.axes;
    return (to, stamp) => {
      const [du, dv] = [(from.x - to.x) / across, (to.y - from.y) / up];
      this.plane.hand.look([left + du, right + du, bottom + dv, top + dv], stamp);
    };
  }

  /** Whether an edge of the tube of a regression is near, at right angles to it. */
  onTube({ axes, x, u, v }, event) {
    const { epsilon } = this.plane.store.setting.machine.values;
    const value = epsilon === undefined ? null : this.plane.curveAt(u);
    if (value === null) return false;
    const rise = (this.plane.curveAt(axes.u(x + BESIDE)) - this.plane.curveAt(axes.u(x - BESIDE))) * axes.up;
    const above = Math.abs(Math.abs(v - value) - epsilon) * axes.up;
    return above / Math.hypot(1, rise / (2 * BESIDE)) < reachOf(event).edge;
  }

  /** The edge is moved once the pointer is; a click where it is does what it does elsewhere.
   *
   * The curve follows epsilon, so that it is the curve of the beginning that the width is measured from.
   */
  widens(from, clicked) {
    const value = this.plane.curveAt(from.u);
    this.clicked = clicked;
    return (to, stamp) => {
      if (this.clicked && !isBeyond(from, to)) return;
      this.clicked = null;
      this.plane.setEpsilon(Math.abs(to.v - value), stamp);
    };
  }

  /** Go on with what a press began, and return whether it did. Raw updates do not wait for the screen's next frame. */
  acted(event) {
    if (this.act && event.timeStamp > this.latest) this.act(this.at(event), event.timeStamp);
    this.latest = event.timeStamp;
    return this.act !== null;
  }

  over(event) {
    const place = this.at(event);
    const i = this.hit(place, reachOf(event).point);
    this.plane.hovered(i);
    this.node.dataset.over = i !== null ? "point" : this.onTube(place, event) ? "tube" : "";
  }

  up(event) {
    if (this.node.hasPointerCapture(event.pointerId)) this.node.releasePointerCapture(event.pointerId);
    this.act = null;
    if (event.type === "pointerup") (this.clicked ?? this.tap)?.();
    [this.clicked, this.tap] = [null, null];
    this.plane.store.settle();
  }

  /** The wheel zooms once the plane was clicked, or with Ctrl; else it scrolls the page. */
  wheel(event) {
    if (document.activeElement !== this.node && !event.ctrlKey) return;
    event.preventDefault();
    const { u, v } = this.at(event);
    this.plane.hand.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.0015), u, v);
  }
}

function reachOf({ pointerType }) {
  return pointerType === "touch" ? FINGER : MOUSE;
}

/** Whether a press that was at one place is no click any more at another. */
function isBeyond(from, to) {
  return Math.hypot(to.x - from.x, to.y - from.y) > STILL;
}

/** No browser opens a menu, and no notebook either. */
function keep(event) {
  event.preventDefault();
  event.stopPropagation();
}
