// SPDX-License-Identifier: BSD-3-Clause
// Settings that are answered beside the one that is shown, one after the other, over a connection of their own. It is
// opened when the first is asked for.

import { Conversation } from "./conversation.js";

/** Answers settings over a transport that connect opens, as in wire/socket.js. */
export class Errands {
  constructor(connect) {
    Object.assign(this, { connect, last: Promise.resolve(), waiting: null, conversation: null });
  }

  /** Promise the finished frame of a setting; it is rejected with an Error in words. */
  solve(setting) {
    const frame = this.last.then(() => new Promise((heard, refused) => {
      this.waiting = { setting, heard, refused: (words) => refused(new Error(words)) };
      this.conversation ??= this.begin();
      if (this.conversation.alive) this.conversation.show(setting, null);
    }));
    this.last = frame.catch(() => {});
    return frame;
  }

  begin() {
    return new Conversation(this.connect, {
      menu: () => this.waiting && this.conversation.show(this.waiting.setting, null),
      setting: () => {},
      notice: () => {},
      frame: (frame) => this.heard(frame),
      refused: (words) => this.waiting?.refused(words),
      closed: (words) => this.waiting?.refused(words),
    });
  }

  heard(frame) {
    if (frame.setting !== this.waiting?.setting || frame.facts.unfinished) return;
    const { heard } = this.waiting;
    this.waiting = null;
    heard(frame);
  }

  end() {
    this.conversation?.transport.close();
  }
}
