// SPDX-License-Identifier: BSD-3-Clause
// A WebSocket to the server that the page came from; it is opened again for as long as the page is there.
//
// A transport is connect(handlers) -> {send(text), close()}. It calls handlers.text(string),
// handlers.frame({facts, arrays}), and handlers.closed(words) when the server has gone. The server's first text is its
// menu: it is there (again).

import { frameOf } from "./frames.js";

const SOONEST = 500;
const LATEST = 5000;

/** Return the transport that shows a token. */
export function socketTo(token) {
  return (handlers) => new Socket(token, handlers);
}

class Socket {
  constructor(token, handlers) {
    this.handlers = handlers;
    this.address = `${window.location.origin.replace(/^http/, "ws")}/socket?token=${encodeURIComponent(token)}`;
    this.wait = SOONEST;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => (this.wait = SOONEST));
    this.socket.addEventListener("message", ({ data }) =>
      typeof data === "string" ? this.handlers.text(data) : this.handlers.frame(frameOf(data)));
    this.socket.addEventListener("close", ({ reason }) => this.lost(reason));
  }

  /** Say why there is no connection, and try again: ever later, up to five seconds. */
  async lost(reason) {
    if (this.ended) return;
    const here = await fetch("/", { method: "HEAD" }).then((answer) => answer.ok, () => false);
    this.handlers.closed(reason || (here
      ? "The server does not take the token of this page: open the address that qpkernels lab printed last. Put what "
        + "is behind # in the address of this page behind it as well, to go on with these points."
      : "The server does not answer; this page goes on when it does. Is qpkernels lab still running?"));
    window.setTimeout(() => this.ended || this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LATEST);
  }

  send(text) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  close() {
    this.ended = true;
    this.socket.close();
  }
}
