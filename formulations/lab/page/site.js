// SPDX-License-Identifier: BSD-3-Clause
// The page of a web site without a server behind it: the lab whose answers come from a worker of the browser. The page
// has the menu in an element #menu. With ?compact in its address it is a frame within a page that explains it.

import { mount } from "./lab.js";
import { hashAddress } from "./state/address.js";
import { drawConditions as kkt, drawLosses as losses } from "./views/losses.js";
import { workerTo } from "./wire/worker.js";

if (new URLSearchParams(window.location.search).has("compact")) document.body.classList.add("lab-compact");
const menu = JSON.parse(document.getElementById("menu").textContent);
mount(document.body, workerTo("solver.js", menu), { kkt, losses }, hashAddress());
