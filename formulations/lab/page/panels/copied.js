// SPDX-License-Identifier: BSD-3-Clause
// Text for the clipboard, or where a browser does not let the page copy, for the user to copy.

import { element } from "./element.js";

/** Copy a text, and return what to say: the words given, or what to do with the text that then stands in a place. */
export async function copied(text, words, place) {
  place.replaceChildren();
  try {
    await navigator.clipboard.writeText(text);
    return words;
  } catch {
    // Browsers let pages copy over HTTPS and from this computer alone.
    const area = element("textarea", { readonly: true, rows: 8, "aria-label": "Text to copy" });
    area.value = text;
    place.append(area);
    area.select();
    return "The browser does not let this page copy; press Ctrl-C.";
  }
}
