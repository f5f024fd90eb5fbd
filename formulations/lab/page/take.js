// SPDX-License-Identifier: BSD-3-Clause
// What can be taken from the page: Python lines, the points, the program, the picture, and a link.

import { CanvasPainter, SvgPainter } from "./paint.js";
import { copied } from "./panels/copied.js";
import { button, element, say } from "./panels/element.js";
import { writePoints } from "./state/csv.js";

const [WIDTH, HEIGHT] = [800, 600];
/** Pixels of a PNG for each of the picture: it is shown on walls. */
const SHARPNESS = 2;

/**
 * Fill a container with buttons.
 *
 * files lists those that can be asked for, ask(what) promises the answer to a question of formulations/lab/desk.py,
 * points() returns the points, paint(painter) draws the picture, and link() returns {text, words}, a link to the setting
 * and what is said of it; without one there is no button for it.
 */
export function takeButtons(container, { files, ask, points, paint, link = null }) {
  const said = element("p", { class: "lab-taken", role: "status" });
  const place = element("div");

  /** Return a button that does something, and says what came of it. */
  function taking(words, title, act) {
    return button(words, title, async () => {
      place.replaceChildren();
      say(said, await act().catch((error) => `Not taken: ${error.message ?? error}`));
    });
  }

  async function file(what) {
    const answer = await ask(what);
    const content = answer.base64 === undefined ? answer.text : bytesOf(answer.base64);
    return download(answer.file, new Blob([content], { type: "application/octet-stream" }));
  }

  const asking = {
    python: ["Copy Python", "Copy the lines of Python that solve and draw this", async () =>
      copied((await ask("python")).text, "Python lines copied.", place)],
    npz: ["NPZ", "Download the convex program as matrices", () => file("npz")],
    proof: ["Proof", "Download a proof of the optimum that anybody can check", () => file("proof")],
  };
  const buttons = [
    ...files.map((name) => taking(...asking[name])),
    taking("CSV", "Download the points", async () => download("points.csv", csvOf(points()))),
    taking("SVG", "Download the picture for print", async () => download("lab.svg", svgOf(paint))),
    taking("PNG", "Download the picture for slides", async () => download("lab.png", await pngOf(paint))),
  ];
  if (link) buttons.push(taking("Copy link", "Copy a link that shows this to others", async () => {
    const { text, words } = link();
    return copied(text, words, place);
  }));
  container.append(element("div", { class: "lab-group" }, buttons), said, place);
}

function csvOf(points) {
  if (!points.length) throw new Error("there are no points to take along; add some first.");
  return new Blob([writePoints(points)], { type: "text/csv" });
}

function svgOf(paint) {
  const painter = new SvgPainter(WIDTH, HEIGHT);
  paint(painter);
  return new Blob([painter.document()], { type: "image/svg+xml" });
}

function pngOf(paint) {
  const canvas = element("canvas");
  paint(new CanvasPainter(canvas, WIDTH, HEIGHT, SHARPNESS));
  return new Promise((made) => canvas.toBlob(made, "image/png"));
}

function bytesOf(base64) {
  return Uint8Array.from(window.atob(base64), (letter) => letter.charCodeAt(0));
}

/** Let the browser keep a file, and return what to say of it. */
function download(name, blob) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  // The browser reads it after this has returned.
  window.setTimeout(() => URL.revokeObjectURL(address), 60000);
  return `Saved as ${name}.`;
}
