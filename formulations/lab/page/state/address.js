// SPDX-License-Identifier: BSD-3-Clause
// The setting behind the # of the address: JSON, percent-encoded.
//
// An address is {read(), write(setting, push), listen(changed), link(setting)}; a page without one of its own, such as a
// notebook, has none.

const DELAY = 250;

/** Return the setting that a fragment states, as it was written; null where there is none. */
export function readFragment(fragment) {
  const text = decodeURIComponent(fragment.replace(/^#/, ""));
  return text ? JSON.parse(text) : null;
}

/** Return the fragment of a setting. */
export function writeFragment(setting) {
  return `#${encodeURIComponent(JSON.stringify(setting)).replace(/%2C/g, ",").replace(/%3A/g, ":")}`;
}

/** Return the address of the window. */
export function hashAddress() {
  let waiting = null;
  let written = window.location.hash;

  function write(fragment, push) {
    waiting = null;
    if (fragment === window.location.hash) return;
    written = fragment;
    window.history[push ? "pushState" : "replaceState"](null, "", fragment);
  }

  return {
    read: () => readFragment(window.location.hash),

    /** Return the address of a setting, on this page or another. */
    link: (setting, page = `${window.location.origin}${window.location.pathname}`) =>
      new URL(writeFragment(setting), page).href,

    /** Write a setting: at once as an entry that Back returns from, or soon in place of the present one. */
    write(setting, push) {
      window.clearTimeout(waiting);
      if (push) write(writeFragment(setting), true);
      else waiting = window.setTimeout(() => write(writeFragment(setting), false), DELAY);
    },

    /** Call changed() when the user went back or forward, or wrote into the address. */
    listen(changed) {
      window.addEventListener("popstate", () => {
        window.clearTimeout(waiting);
        if (window.location.hash === written) return;
        written = window.location.hash;
        changed();
      });
    },
  };
}
