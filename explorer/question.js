// One phase: what may follow. Two phases: whether that step exists, and what it would break.

import { code, element, list, pathText } from "./elements.js";
import { data, edge, following, mutant, phases, property, refusal } from "./lifecycle.js";
import { markChoice } from "./picture.js";

const from = document.getElementById("from");
const to = document.getElementById("to");
const reviewed = document.getElementById("reviewed");
const answer = document.getElementById("answer");

for (const select of [from, to]) {
  select.append(element("option", { value: "" }, "choose"));
  for (const phase of phases) select.append(element("option", { value: phase }, phase));
  select.addEventListener("change", show);
}
reviewed.addEventListener("change", show);
document.getElementById("clear").addEventListener("click", clear);

export function choose(phase) {
  if (!from.value || to.value) {
    from.value = phase;
    to.value = "";
  } else {
    to.value = phase;
  }
  show();
}

export function clear() {
  from.value = to.value = "";
  reviewed.checked = false;
  show();
}

export function show() {
  markChoice(from.value, to.value);
  if (!from.value) answer.replaceChildren();
  else if (!to.value) answer.replaceChildren(...ofPhase(from.value));
  else answer.replaceChildren(...ofPair(from.value, to.value, reviewed.checked));
  for (const row of document.querySelectorAll("#properties tbody tr")) {
    const speaks = from.value && property(row.dataset.id).phases.includes(from.value);
    row.classList.toggle("speaks", Boolean(speaks) && !to.value);
  }
}

function ofPhase(phase) {
  const ways = following(phase);
  const speaking = data.properties.filter((one) => one.phases.includes(phase));
  return [
    element("h3", {}, phase),
    ways.length === 0
      ? element("p", {}, "An end: nothing may follow, not even the same phase again.")
      : list(ways.map((one) => [
          `${one.target}: `,
          one.needs_review ? "only once an external review has permitted it" : "needs no review",
        ])),
    element("p", {}, "Properties that speak of it: ", speaking.map((one) => one.id).join(", ") || "none"),
  ];
}

function ofPair(source, target, isReviewed) {
  const refused = refusal(source, target, isReviewed);
  const parts = [element("h3", {}, `${source} → ${target}`)];
  if (refused === null) {
    parts.push(element("p", { class: "verdict allowed", id: "verdict" }, "allowed"));
  } else {
    parts.push(
      element("p", { class: "verdict refused", id: "verdict" }, "refused: ", code(refused.code),
        refused.field ? ` (${refused.field})` : ""),
      element("p", {}, data.codes[refused.code]),
    );
  }
  const there = edge(source, target);
  for (const [becomes, heading] of there
    ? [["absent", "Without this arrow"],
       there.needs_review ? ["plain", "If it needed no review"] : ["review", "If it needed a review"]]
    : [["plain", "An arrow here"], ["review", "A reviewed arrow here"]]) {
    parts.push(...wouldBreak(heading, mutant(source, target, becomes)));
  }
  return parts;
}

function wouldBreak(heading, change) {
  const broken = change.caught_by.map((caught) => {
    const path = caught.path.length ? [": ", code(pathText(caught.path, caught.loop_start))] : [];
    return [`${caught.id}, ${property(caught.id)?.sentence ?? ""}`, ...path];
  });
  return [
    element("h4", {}, `${heading} would break ${broken.length} of the properties`),
    list(broken),
  ];
}
