// SPDX-License-Identifier: BSD-3-Clause
// The lab in a cell of a notebook: anywidget loads this module, joined with all that it imports, and calls render().
//
// A widget can be shown in several places at once, all of which hear what it says. It answers the page that was opened
// last; any other waits until it is touched, and is opened again then.

import { mount } from "./lab.js";
import { DIAGRAMS } from "./views/index.js";
import { frameOf } from "./wire/frames.js";

const WAITING = "Waiting for the kernel; where it was restarted, run the cell again.";
const ELSEWHERE = "Shown in another place; touched here, it goes on here.";

/** Return a transport as in wire/socket.js, with open(); formulations/lab/notebook.py is at its other end. */
export function widgetTransport(model) {
  return Object.assign((handlers) => new Widget(model, handlers), { isAlone: true });
}

class Widget {
  constructor(model, handlers) {
    Object.assign(this, { model, handlers, page: String(Math.random()) });
    this.listeners = {
      "msg:custom": (content, buffers) => this.hear(content, buffers),
      // The kernel was restarted, or is there again.
      comm_live_update: () => this.open(),
    };
    for (const [name, listener] of Object.entries(this.listeners)) model.on(name, listener);
    this.open();
  }

  /** Be the page that is answered. */
  open() {
    this.handlers.closed(WAITING);
    this.tell({ open: true });
  }

  send(text) {
    this.tell({ text });
  }

  tell(content) {
    try {
      this.model.send({ page: this.page, ...content });
    } catch {
      this.handlers.closed(WAITING);
    }
  }

  hear({ page, text, opened }, buffers) {
    if (opened !== undefined && opened !== this.page) this.handlers.closed(ELSEWHERE);
    if (page !== this.page) return;
    if (text === undefined) this.handlers.frame(frameOf(contentOf(buffers[0])));
    else this.handlers.text(text);
  }

  close() {
    for (const [name, listener] of Object.entries(this.listeners)) this.model.off(name, listener);
  }
}

/** Return the bytes of a buffer alone: hosts put several messages into one. */
function contentOf(view) {
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

/** Show the lab in a cell, and return how to take it away. */
export function render({ model, el }) {
  // Wherever the lab is clicked, it has the focus, and its keys are no commands of the notebook.
  const root = document.createElement("div");
  root.tabIndex = -1;
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", saveNotebook);
  el.append(root);
  const lab = mount(root, widgetTransport(model), DIAGRAMS);
  const touched = () => lab.conversation.alive || lab.conversation.transport.open();
  for (const name of ["pointerdown", "focusin"]) root.addEventListener(name, touched);
  return () => lab.end();
}

/** Leave Ctrl-S to the notebook: without it, the browser would save its page. */
function saveNotebook(event) {
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.parentElement.dispatchEvent(new KeyboardEvent(event.type, event));
}
