// SPDX-License-Identifier: BSD-3-Clause
// Frames as the bytes of formulations/lab/drawing.py.

/** Return {facts, arrays} of the bytes of a frame; an array is {data: Float32Array, shape}. */
export function frameOf(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const { arrays: listed, ...facts } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, [offset, shape]] of Object.entries(listed)) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = { data: new Float32Array(buffer, 4 + length + 4 * offset, count), shape };
  }
  return { facts, arrays };
}
