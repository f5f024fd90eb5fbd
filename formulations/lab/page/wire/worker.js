// SPDX-License-Identifier: BSD-3-Clause
// A transport as in socket.js to a worker of the browser, solver/worker.js, which answers what a menu offers.

/** Return the transport to the worker at an address. */
export function workerTo(address, menu) {
  return (handlers) => {
    const worker = new Worker(address, { type: "module" });
    worker.addEventListener("error", () => handlers.closed("This browser does not run the lab: it has no module workers, "
      + "or the page was opened from a file. Open it from a web server."));
    worker.addEventListener("message", ({ data: { text, frame } }) => (text ? handlers.text(text) : handlers.frame(frame)));
    worker.postMessage({ menu });
    // A transport never answers before it is there.
    queueMicrotask(() => handlers.text(JSON.stringify({ menu })));
    return { send: (text) => worker.postMessage({ text }), close: () => worker.terminate() };
  };
}
