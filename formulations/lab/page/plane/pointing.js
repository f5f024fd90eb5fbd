// SPDX-License-Identifier: BSD-3-Clause
// Mouse, touch and pen on the plane.

import { axesOf } from "./axes.js";
import { nearest } from "./edits.js";

const REACH = 12;
const REACH_OF_A_FINGER = 22;
const EDGE = 7;
const DOUBLE = 400;

/** Listens to a node that lies over the picture; plane = {store, hand, frame, width, height, hovered(i)}. */
export class Pointing {
  constructor(node, plane) {
    this.node = node;
    this.plane = plane;
    this.act = null;
    this.latest = -Infinity;
    this.before = { i: null, at: -Infinity };
    for (const [name, listener] of Object.entries({
      pointerdown: (event) => this.down(event),
      pointerrawupdate: (event) => this.acted(event),
      pointermove: (event) => this.acted(event) || this.over(event),
      pointerup: (event) => this.up(event),
      pointercancel: (event) => this.up(event),
      pointerleave: () => plane.hovered(null),
      contextmenu: (event) => event.preventDefault(),
    })) node.addEventListener(name, listener);
    node.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Return the axes, and where an event is in pixels and in data units. */
  at(event) {
    const { store, width, height } = this.plane;
    const axes = axesOf(store.setting.window, width, height);
    const box = this.node.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { axes, x, y, u: axes.u(x), v: axes.v(y) };
  }

  hit({ axes, x, y }, event) {
    const reach = event.pointerType === "touch" ? REACH_OF_A_FINGER : REACH;
    return nearest(this.plane.hand.points, axes, x, y, reach);
  }

  down(event) {
    if (event.button === 1 || this.act) return;
    const place = this.at(event);
    const i = this.hit(place, event);
    const other = event.button === 2 || event.shiftKey;
    this.node.setPointerCapture(event.pointerId);
    this.plane.hand.cross = null;
    this.act = i === null ? this.onNothing(place, event, other) : this.onPoint(i, place, event, other);
  }

  /** Return what moving does after a point was pressed. */
  onPoint(i, place, event, other) {
    const { hand } = this.plane;
    const twice = this.before.i === i && event.timeStamp - this.before.at < DOUBLE;
    this.before = { i, at: event.timeStamp };
    if (hand.mode === "delete" || (twice && hand.mode !== "relabel")) return this.removes(i);
    if (other || hand.mode === "relabel") hand.relabel(i);
    hand.select(i);
    return this.drags(i, place);
  }

  removes(i) {
    this.before = { i: null, at: -Infinity };
    this.plane.hand.remove(i);
    return () => {};
  }

  /** Return what moving does after nothing was pressed: a new point moves on, or the tube, or the window. */
  onNothing(place, event, other) {
    const { hand } = this.plane;
    this.before = { i: null, at: -Infinity };
    if (this.onTube(place)) return this.widens(place);
    if (hand.mode === "move") return this.pans(place);
    hand.select(null);
    if (hand.mode === "delete" || hand.mode === "relabel") return () => {};
    const before = hand.points;
    hand.add(place.u, place.v, { other, gesture: "drag", stamp: event.timeStamp });
    return hand.points === before ? () => {} : this.drags(before.length, place);
  }

  drags(i, from) {
    const { hand } = this.plane;
    const [u, v] = hand.points[i];
    const [du, dv] = [u - from.u, v - from.v];
    let begun = false;
    return (to, stamp) => {
      begun ||= Math.hypot(to.x - from.x, to.y - from.y) > 2;
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

  /** Whether an edge of the tube of a regression is near. */
  onTube({ axes, u, v }) {
    const { epsilon } = this.plane.store.setting.machine.values;
    const value = epsilon === undefined ? null : this.plane.curveAt(u);
    return value !== null && Math.abs(Math.abs(v - value) - epsilon) * axes.up < EDGE;
  }

  /** The curve follows epsilon, so that it is the curve of the beginning that the width is measured from. */
  widens(from) {
    const value = this.plane.curveAt(from.u);
    return (to, stamp) => this.plane.setEpsilon(Math.abs(to.v - value), stamp);
  }

  /** Go on with what a press began, and return whether it did. Raw updates do not wait for the screen's next frame. */
  acted(event) {
    if (this.act && event.timeStamp > this.latest) this.act(this.at(event), event.timeStamp);
    this.latest = event.timeStamp;
    return this.act !== null;
  }

  over(event) {
    const place = this.at(event);
    const i = this.hit(place, event);
    this.plane.hovered(i);
    this.node.dataset.over = i !== null ? "point" : this.onTube(place) ? "tube" : "";
  }

  up(event) {
    if (this.node.hasPointerCapture(event.pointerId)) this.node.releasePointerCapture(event.pointerId);
    this.act = null;
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
