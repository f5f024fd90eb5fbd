// SPDX-License-Identifier: BSD-3-Clause
// A ring around the sample that the pointer is over; it lies over a picture, which is not drawn again for it.

import { element } from "./element.js";

/** A ring in a node that positions it. */
export class Ring {
  constructor(parent) {
    this.node = element("span", { class: "lab-ring", hidden: true });
    parent.append(this.node);
  }

  /** Stand at a place in pixels of the parent; nowhere without one. */
  at(place) {
    this.node.hidden = !place;
    if (place) [this.node.style.left, this.node.style.top] = place.map((each) => `${each}px`);
  }
}
