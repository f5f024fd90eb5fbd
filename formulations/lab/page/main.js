// SPDX-License-Identifier: BSD-3-Clause
// The page of the server on this computer: its token, its address, and the lab on its body.

import { mount } from "./lab.js";
import { element } from "./panels/element.js";
import { followScheme } from "./scheme.js";
import { hashAddress } from "./state/address.js";
import { keep, recall } from "./state/kept.js";
import { DIAGRAMS } from "./views/index.js";
import { socketTo } from "./wire/socket.js";

const KEPT = "qpkernels-lab-token";

/** Take the token out of the address, where it would be shared and bookmarked, and keep it, where the browser does. */
function token() {
  const address = new URL(window.location.href);
  const given = address.searchParams.get("token");
  try {
    if (given === null) return recall(KEPT);
    keep(KEPT, given);
    address.searchParams.delete("token");
    window.history.replaceState(null, "", address);
  } catch {
    // It stays in the address, which is all that a reload has of it.
  }
  return given;
}

const kept = token();
if (kept) {
  mount(document.body, socketTo(kept), DIAGRAMS, hashAddress());
} else {
  document.body.classList.add("qp-lab");
  followScheme(document.body, () => {});
  const words = "Open the address that the command qpkernels lab printed: it ends in ?token=, which this one lacks.";
  document.body.append(element("p", { class: "lab-missing", role: "alert" }, words));
}
