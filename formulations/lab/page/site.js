// SPDX-License-Identifier: BSD-3-Clause
// The page of a web site without a server behind it: the lab whose answers come from a worker of the browser. The page
// has the menu in an element #menu.

import { mount } from "./lab.js";
import { hashAddress } from "./state/address.js";
import { workerTo } from "./wire/worker.js";

mount(document.body, workerTo("solver.js", JSON.parse(document.getElementById("menu").textContent)), hashAddress());
