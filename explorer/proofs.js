// The properties with their verdicts, and their paths, which can be played on the picture.

import { code, element, pathText } from "./elements.js";
import { data } from "./lifecycle.js";
import { markPlayed, markWalk } from "./picture.js";

const played = document.getElementById("played");
let playing = null;

export function listProperties() {
  const body = document.querySelector("#properties tbody");
  for (const one of data.properties) {
    const path = element("td", {});
    if (one.path.length > 1) {
      path.append(element("button", { type: "button", "aria-label": `Play the path of ${one.id}`,
        onclick: () => play(one) }, "Play"), " ", code(pathText(one.path, one.loop_start)));
    }
    body.append(element("tr", { "data-id": one.id },
      element("th", { scope: "row" }, one.id),
      element("td", {}, one.verdict),
      element("td", {}, one.sentence),
      element("td", {}, code(one.formula)),
      element("td", {}, one.engine),
      path));
  }
  const assumed = document.getElementById("assumed");
  for (const one of data.assumed) {
    assumed.append(element("li", {}, one.sentence, " ", code(one.formula), ": ",
      code(pathText(one.path, one.loop_start))));
  }
  document.getElementById("assumed-section").hidden = data.assumed.length === 0;
}

function play(one) {
  clearTimeout(playing);
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 700;
  const step = (index) => {
    if (index >= one.path.length) return;
    markPlayed(one.path[index - 1], one.path[index]);
    markWalk(one.path[index], new Set(one.path.slice(0, index + 1)));
    played.textContent = `${one.id}, step ${index}: ${one.path[index - 1]} → ${one.path[index]}`;
    playing = setTimeout(step, pace, index + 1);
  };
  step(1);
}
