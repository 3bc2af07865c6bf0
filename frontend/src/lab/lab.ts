/** The entry of the lab's page. No other file imports it. */

import { mount } from "svelte";
import Lab from "./Lab.svelte";
import type { LabPage } from "./page";

const target = document.getElementById("lab");
const data = document.getElementById("lab-data")?.textContent;
if (target && data && !target.dataset.mounted) {
  target.dataset.mounted = "yes";
  target.textContent = "";
  mount(Lab, { target, props: { page: JSON.parse(data) as LabPage } });
}
