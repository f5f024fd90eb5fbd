// SPDX-License-Identifier: BSD-3-Clause
// Challenges of the menu: something to bring about. The server judges the certified answer, and says what is missing.

import { complete } from "../state/setting.js";
import { button, element, say, select } from "./element.js";

/** The challenges; ask(name, heard) has heard({solved, words}) called with what the server says of its answer. */
export class Challenges {
  constructor(menu, store, ask) {
    Object.assign(this, { menu, store, ask, open: null });
    this.list = select("Challenge", [["", "Choose\u2026"], ...menu.challenges.map(({ name, title }) => [name, title])], "",
      (name) => this.begin(name));
    this.words = element("p", {});
    this.verdict = element("p", { class: "lab-verdict", role: "status" });
    this.again = button("Start again", "Begin this challenge again with its points", () => this.begin(this.open?.name));
    this.box = element("div", { hidden: true }, this.words, this.verdict, this.again);
    this.node = element("fieldset", { class: "lab-challenges", hidden: !menu.challenges.length }, element("legend", {}, "Challenges"), this.list, this.box);
  }

  /** Begin a challenge; with none, leave the one that is open. */
  begin(name) {
    this.open = this.menu.challenges.find((each) => each.name === name) ?? null;
    this.box.hidden = !this.open;
    this.forget();
    if (!this.open) return;
    say(this.words, this.open.words);
    this.store.change(complete(this.menu, this.open.setting));
  }

  /** Take back what was said: it was true of an earlier answer. */
  forget() {
    say(this.verdict, "");
    delete this.verdict.dataset.state;
  }

  /** Have the answer judged that is shown now. */
  look() {
    const { open } = this;
    const { setting } = this.store;
    if (open) this.ask(open.name, (verdict) => open === this.open && setting === this.store.setting && this.show(verdict));
  }

  show({ solved, words }) {
    this.verdict.dataset.state = solved ? "proved" : "open";
    say(this.verdict, words);
    if (!solved) return;
    const option = [...this.list.options].find(({ value }) => value === this.open.name);
    say(option, `\u2713 ${this.open.title}`);
  }
}
