// SPDX-License-Identifier: BSD-3-Clause
// The lab in a cell of a notebook: anywidget loads this module, joined with all that it imports, and calls render().

import { mount } from "./lab.js";

/** Return a transport as in wire/socket.js; formulations/lab/notebook/widget.py is at its other end. */
export function widgetTransport(model) {
  return (handlers) => {
    const heard = ({ text }, buffers) => (text === undefined ? handlers.frame(contentOf(buffers[0])) : handlers.text(text));
    model.on("msg:custom", heard);
    model.send({ open: true });
    return { send: (text) => model.send({ text }), close: () => model.off("msg:custom", heard) };
  };
}

/** Return the bytes of a buffer alone: hosts put several messages into one. */
function contentOf(view) {
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

/** Show the lab in a cell, and return how to take it away. */
export function render({ model, el }) {
  const root = document.createElement("div");
  // Keys that edit points would be taken for commands of the notebook.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  const lab = mount(root, widgetTransport(model));
  return () => lab.conversation.transport.close();
}
