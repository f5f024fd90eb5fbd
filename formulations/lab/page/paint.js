// SPDX-License-Identifier: BSD-3-Clause
// Two painters with the same methods: one on a canvas, one that writes an SVG. Every picture is drawn by either.
//
// A style is {stroke, fill, width, dash, opacity}; colours are those of CSS. Lengths are CSS pixels.

/** Paints on a canvas, at the resolution of the screen. */
export class CanvasPainter {
  constructor(canvas, width, height, ratio = window.devicePixelRatio || 1) {
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    Object.assign(this, { width, height, ratio });
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }

  /** Draw lines through points [x, y], one list for each line. */
  lines(lists, style) {
    this.context.beginPath();
    for (const points of lists) {
      points.forEach(([x, y], k) => (k ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
      if (style.fill) this.context.closePath();
    }
    this.finish(style);
  }

  /** Draw opaque lines of one style: one by one, for a path of many takes longer. */
  segments(lists, style) {
    for (const points of lists) this.lines([points], style);
  }

  circle(x, y, radius, style) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.finish(style);
  }

  /** Draw circles [x, y, radius] of one style: one by one, for a path of many takes longer. */
  circles(list, style) {
    for (const [x, y, radius] of list) this.circle(x, y, radius, style);
  }

  rectangle(x, y, width, height, style) {
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.finish(style);
  }

  /** Write text; anchor is start, middle or end. */
  text(x, y, words, { fill, size = 12, anchor = "start", weight = "normal" }) {
    this.context.fillStyle = fill;
    this.context.font = `${weight} ${size}px system-ui, sans-serif`;
    this.context.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    this.context.fillText(words, x, y);
  }

  /** Draw pixels into a rectangle. */
  image(pixels, x, y, width, height, smooth = true) {
    this.context.imageSmoothingEnabled = smooth;
    this.context.drawImage(pixels_canvas(pixels), x, y, width, height);
  }

  /** Let what paint() draws be seen within a rectangle only. */
  clipped(x, y, width, height, paint) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    paint();
    this.context.restore();
  }

  /** Draw a rectangle, grown to whole pixels, anew: paint(isSeen), and whatever it draws elsewhere is not seen. */
  again(left, top, right, bottom, paint) {
    const [x, y] = [left, top].map((each) => Math.floor(each * this.ratio) / this.ratio);
    const [width, height] = [right - x, bottom - y].map((each) => Math.ceil(each * this.ratio) / this.ratio);
    this.context.clearRect(x, y, width, height);
    this.clipped(x, y, width, height, () => paint((u, v, reach) =>
      u + reach > x && u - reach < x + width && v + reach > y && v - reach < y + height));
  }

  finish({ stroke, fill, width = 1, dash = [], opacity = 1 }) {
    this.context.globalAlpha = opacity;
    if (fill) {
      this.context.fillStyle = fill;
      this.context.fill();
    }
    if (stroke) {
      this.context.strokeStyle = stroke;
      this.context.lineWidth = width;
      this.context.setLineDash(dash);
      this.context.stroke();
    }
    this.context.globalAlpha = 1;
  }
}

/** Writes an SVG. */
export class SvgPainter {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.clips = 0;
  }

  lines(lists, style) {
    const end = style.fill ? "Z" : "";
    const places = (points) => points.map(([x, y]) => `${short(x)},${short(y)}`).join("L");
    const path = lists.map((points) => `M${places(points)}${end}`).join("");
    this.parts.push(`<path d="${path}"${attributes(style)}/>`);
  }

  segments(lists, style) {
    this.lines(lists, style);
  }

  circle(x, y, radius, style) {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}"${attributes(style)}/>`);
  }

  circles(list, style) {
    for (const [x, y, radius] of list) this.circle(x, y, radius, style);
  }

  rectangle(x, y, width, height, style) {
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.parts.push(`<rect ${box}${attributes(style)}/>`);
  }

  text(x, y, words, { fill, size = 12, anchor = "start", weight = "normal" }) {
    const font = `font-family="system-ui, sans-serif" font-size="${size}" font-weight="${weight}"`;
    const place = `x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"`;
    this.parts.push(`<text ${place} fill="${fill}" ${font}>${escaped(words)}</text>`);
  }

  image(pixels, x, y, width, height, smooth = true) {
    const url = pixels_canvas(pixels).toDataURL("image/png");
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    const rendering = smooth ? "" : ' image-rendering="pixelated"';
    this.parts.push(`<image ${box} preserveAspectRatio="none"${rendering} href="${url}"/>`);
  }

  clipped(x, y, width, height, paint) {
    const id = `clip${this.clips++}`;
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.parts.push(`<clipPath id="${id}"><rect ${box}/></clipPath><g clip-path="url(#${id})">`);
    paint();
    this.parts.push("</g>");
  }

  /** Return the SVG. */
  document() {
    const box = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${this.parts.join("")}</svg>`;
  }
}

const colours = new Map();

/** Read colours anew: the scheme has changed. */
export function readColours() {
  colours.clear();
}

/** Return a colour of the lab by the name of its CSS variable, such as "positive": six digits, #rrggbb. */
export function colour(name) {
  if (!colours.has(name)) {
    const value = getComputedStyle(document.querySelector(".qp-lab")).getPropertyValue(`--${name}`).trim();
    if (!value) throw new Error(`style/base.css has no colour --${name}.`);
    colours.set(name, value);
  }
  return colours.get(name);
}

let shared = null;

function pixels_canvas(pixels) {
  if (!shared) shared = document.createElement("canvas");
  if (shared.width !== pixels.width || shared.height !== pixels.height) {
    shared.width = pixels.width;
    shared.height = pixels.height;
  }
  shared.getContext("2d").putImageData(pixels, 0, 0);
  return shared;
}

function attributes({ stroke, fill, width = 1, dash = [], opacity = 1 }) {
  const pen = stroke ? ` stroke="${stroke}" stroke-width="${width}"` : "";
  const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  return ` fill="${fill || "none"}"${pen}${dashes}${opacity < 1 ? ` opacity="${opacity}"` : ""}`;
}

function short(number) {
  return Math.round(number * 100) / 100;
}

function escaped(words) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(words).replace(/[&<>"]/g, (letter) => names[letter]);
}
