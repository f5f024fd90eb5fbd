// SPDX-License-Identifier: BSD-3-Clause
// What is said to the server, and which answer belongs to what: the messages of formulations/lab/desk.py.
//
// One setting at most is unanswered at a time; of those that come meanwhile the newest is sent as soon as it is
// answered. An answer that is not proved yet is followed by better ones, with the same number.

/** Talks to the server; on = {menu(menu), setting(setting), notice(words), frame(frame), refused(words), closed(words)}. */
export class Conversation {
  constructor(connect, on) {
    this.on = on;
    this.seq = 0;
    this.start();
    this.transport = connect({
      text: (text) => this.text(JSON.parse(text)),
      frame: (frame) => this.frame(frame),
      closed: (words) => this.closed(words),
    });
  }

  start() {
    this.known = null;
    this.flying = null;
    this.shown = null;
    this.newest = null;
    this.questions = new Map();
  }

  /** Ask for the picture of a setting; stamp is when the event happened that led to it. */
  show(setting, stamp) {
    this.newest = { setting, stamp };
    if (!this.flying && this.alive) this.sendNewest();
  }

  /** Ask about the setting shown last: heard(answer) is called, or refused(words); of one kind the newest counts. */
  ask(question, heard, refused = () => {}) {
    if (!this.alive) return refused("The server does not answer.");
    for (const [seq, { kind }] of this.questions) if (kind === question.ask) this.questions.delete(seq);
    this.questions.set(++this.seq, { kind: question.ask, heard, refused });
    this.transport.send(JSON.stringify({ seq: this.seq, ...question }));
  }

  sendNewest() {
    const { setting, stamp } = this.newest;
    this.newest = null;
    const changed = this.known && changedPoints(this.known, setting);
    this.flying = { seq: ++this.seq, setting, stamp };
    this.known = setting;
    this.transport.send(JSON.stringify({ seq: this.seq, ...(changed ? { points: changed } : { setting }) }));
  }

  text(message) {
    if (message.menu) {
      this.start();
      this.alive = true;
      this.on.menu(message.menu);
    } else if (message.setting) {
      this.on.setting(message.setting);
    } else if (message.notice !== undefined) {
      this.on.notice(message.notice);
    } else if (message.seq !== undefined) {
      const asked = this.questions.get(message.seq);
      this.questions.delete(message.seq);
      if (message.answer !== undefined) asked?.heard(message.answer);
      else asked?.refused(message.refused);
    } else if (message.refused !== undefined) {
      this.known = null;
      this.landed();
      this.on.refused(message.refused);
    }
  }

  frame(frame) {
    const answered = [this.flying, this.shown].find((each) => each?.seq === frame.facts.seq);
    if (!answered) return;
    const { setting, stamp } = answered;
    this.shown = { ...answered, stamp: null };
    if (answered === this.flying) this.landed();
    this.on.frame({ ...frame, setting, stamp });
  }

  /** What was flying has landed: the next leaves before anything is drawn. */
  landed() {
    this.flying = null;
    if (this.newest) this.sendNewest();
  }

  closed(words) {
    this.alive = false;
    for (const { refused } of this.questions.values()) refused(words);
    this.questions.clear();
    this.on.closed(words);
  }
}

/** Return [[number, ...point], ...] where two settings differ in places of points alone; null where in more. */
function changedPoints(before, after) {
  const same = ["machine", "kernel", "window", "view"].every((part) => before[part] === after[part]);
  if (!same || before.points.length !== after.points.length) return null;
  const changed = [];
  after.points.forEach((point, k) => point !== before.points[k] && changed.push([k, ...point]));
  return changed;
}
