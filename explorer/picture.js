// The diagram: its phases are buttons, arrow keys move between them, steps can be marked.

import { alias, data, following, phases } from "./lifecycle.js";

const place = document.getElementById("picture");
place.innerHTML = data.svg; // our own, out of this very file

const svg = place.querySelector("svg");
svg.setAttribute("role", "group");
const nodes = new Map(phases.map((phase) => [phase, svg.getElementById(`phase-${alias(phase)}`)]));

export function drawPhases(choose, clear) {
  for (const [phase, node] of nodes) {
    const ways = following(phase).map((one) => one.target + (one.needs_review ? " once reviewed" : ""));
    node.setAttribute("role", "button");
    node.setAttribute("aria-pressed", "false");
    node.setAttribute("aria-label", `${phase}, ${ways.length ? `leads to ${ways.join(", ")}` : "an end"}`);
    node.setAttribute("tabindex", phase === phases[0] ? "0" : "-1");
    node.addEventListener("click", () => choose(phase));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(phase);
      else if (event.key === "Escape") clear();
      else if (!moved(phase, event.key)) return;
      event.preventDefault();
    });
  }
}

/** Move the focus to the nearest phase in the direction of an arrow key. */
function moved(phase, key) {
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const direction = directions[key];
  if (!direction) return false;
  const [x, y] = data.positions[phase];
  let best = null;
  for (const other of phases) {
    const [dx, dy] = [data.positions[other][0] - x, data.positions[other][1] - y];
    const ahead = dx * direction[0] + dy * direction[1];
    const aside = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    if (ahead > 0 && (best === null || ahead + 2 * aside < best.cost)) {
      best = { other, cost: ahead + 2 * aside };
    }
  }
  if (best) {
    for (const node of nodes.values()) node.setAttribute("tabindex", "-1");
    nodes.get(best.other).setAttribute("tabindex", "0");
    nodes.get(best.other).focus();
  }
  return true;
}

export function markChoice(first, second) {
  for (const [phase, node] of nodes) {
    node.classList.toggle("first", phase === first);
    node.classList.toggle("second", phase === second);
    node.setAttribute("aria-pressed", String(phase === first || phase === second));
  }
  for (const step of svg.querySelectorAll(".step")) step.classList.remove("follows");
  for (const one of first ? following(first) : []) {
    arrow(one.source, one.target)?.classList.add("follows");
  }
}

export function markWalk(current, visited) {
  for (const [phase, node] of nodes) {
    node.classList.toggle("current", phase === current);
    node.classList.toggle("visited", visited.has(phase));
  }
}

export function markPlayed(source, target) {
  for (const step of svg.querySelectorAll(".played")) step.classList.remove("played");
  if (source) arrow(source, target)?.classList.add("played");
}

function arrow(source, target) {
  return svg.getElementById(`step-${alias(source)}-${alias(target)}`);
}
