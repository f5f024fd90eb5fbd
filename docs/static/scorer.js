/* SPDX-License-Identifier: BSD-3-Clause */
/* What the search shows first: pages about a task, then models and examples, and the names of the reference last. */
var Scorer = {
  score: (found) => {
    const [page, , anchor, , score] = found;
    if (anchor.startsWith("#index-")) found[2] = "";  // a word of the index is on its page, which is listed once
    const ranks = [
      [/^(use\/|learn\/|index$|why$|questions$|lab$|command-line$|lab-notebook$|citing$)/, 20],
      [/^(models|build-on|estimators)\//, 5],
      [/^(gallery|api)\//, -5],
      [/^(catalogue|changelog|concordance|errata|performance\/|records\/|scale\/|trust\/)/, -10],
    ];
    return score + (ranks.find(([pages]) => pages.test(page)) || [null, 0])[1];
  },
  objNameMatch: 30,  // whoever types the name of an object wants its page
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
