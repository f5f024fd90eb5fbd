// SPDX-License-Identifier: BSD-3-Clause
// A transport as in socket.js to a worker of the browser, solver/worker.js, which has a part of the menu.

/** Return the transport to the worker at an address, for the part of a menu that it offers. */
export function workerTo(address, menu) {
  return (handlers) => {
    const worker = new Worker(address, { type: "module" });
    worker.addEventListener("error", () => handlers.closed("This browser does not run the lab: it has no module workers, "
      + "or the page was opened from a file. Open it from a web server."));
    worker.addEventListener("message", ({ data: { offer, text, frame } }) => {
      if (offer) {
        const offered = offeredOf(menu, offer);
        worker.postMessage({ menu: offered });
        handlers.text(JSON.stringify({ menu: offered }));
      } else if (text) handlers.text(text);
      else handlers.frame(frame);
    });
    return { send: (text) => worker.postMessage({ text }), close: () => worker.terminate() };
  };
}

/** Return what of a menu is offered; a worker reads no Python. */
function offeredOf(menu, { machines, kernels, views, mostPoints }) {
  const has = (names) => ({ name }) => names.includes(name);
  const isSolved = ({ setting }) => has(machines)(setting.machine) && setting.kernel.every(has(kernels));
  return {
    ...menu,
    machines: menu.machines.filter(has(machines)),
    kernels: menu.kernels.filter(has(kernels)),
    views: menu.views.filter(has(views)),
    presets: menu.presets.filter(isSolved),
    files: [],
    most_points: mostPoints,
    more: `Your browser solves and proves this by itself, up to ${mostPoints} points. The lab of the package has `
      + `${menu.machines.length} machines, ${menu.views.length} views and ${menu.most_points} `
      + `points: install qpkernels, then run qpkernels lab.`,
  };
}
