// SPDX-License-Identifier: BSD-3-Clause
// Dark or light: as what is behind the lab in a notebook, or in the page around its frame, whose theme need not be that
// of the computer.

const DARK = window.matchMedia("(prefers-color-scheme: dark)");
const OPAQUE = 128;
const MIDDLE = 128;

/** Keep data-scheme of a root "dark" or "light"; changed() is called when it changes. Return how to end this. */
export function followScheme(root, changed) {
  const follow = () => {
    if (!root.isConnected) return;
    const scheme = isDark(root) ? "dark" : "light";
    if (root.dataset.scheme === scheme) return;
    root.dataset.scheme = scheme;
    changed();
  };
  DARK.addEventListener("change", follow);
  // Where a notebook gets another theme, its page gets other attributes.
  const themes = new MutationObserver(follow);
  for (const page of [document, window.frameElement?.ownerDocument]) {
    for (const node of page ? [page.documentElement, page.body] : []) themes.observe(node, { attributes: true });
  }
  // A notebook may put the root into its page late, or for a while take it out.
  const places = new ResizeObserver(follow);
  places.observe(root);
  return () => {
    DARK.removeEventListener("change", follow);
    themes.disconnect();
    places.disconnect();
  };
}

/** Whether the nearest background behind a root is dark; where there is none, whether dark pages are preferred. */
function isDark(root) {
  const drawing = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  for (let node = behind(root); node; node = behind(node)) {
    drawing.clearRect(0, 0, 1, 1);
    drawing.fillStyle = getComputedStyle(node).backgroundColor;
    drawing.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = drawing.getImageData(0, 0, 1, 1).data;
    if (opacity >= OPAQUE) return 0.3 * red + 0.59 * green + 0.11 * blue < MIDDLE;
  }
  return DARK.matches;
}

/** Return the node behind another; behind a page is what its frame stands in. */
function behind(node) {
  return node.parentElement ?? (node.ownerDocument === document ? window.frameElement : null);
}
