// A walk through the lifecycle: each step is judged as the validator judges it.

import { element } from "./elements.js";
import { data, phases, refusal } from "./lifecycle.js";
import { markWalk } from "./picture.js";

const start = data.start;
const steps = [];

const phaseText = document.getElementById("walk-phase");
const targets = document.getElementById("walk-targets");
const walkReviewed = document.getElementById("walk-reviewed");
const said = document.getElementById("walk-said");
const history = document.getElementById("walk-history");
const copied = document.getElementById("copied");

const current = () => (steps.length ? steps.at(-1).target : start);

export function startWalk() {
  for (const phase of phases) {
    targets.append(element("button", { type: "button", onclick: () => take(phase) }, phase));
  }
  document.getElementById("walk-form").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("walk-undo").addEventListener("click", () => { steps.pop(); showWalk(""); });
  document.getElementById("walk-reset").addEventListener("click", () => { steps.length = 0; showWalk(""); });
  document.getElementById("copy-json").addEventListener("click", () => copy(asJson()));
  document.getElementById("copy-test").addEventListener("click", () => copy(asTest()));
  showWalk("");
}

function take(target) {
  const source = current();
  const refused = refusal(source, target, walkReviewed.checked);
  if (refused) {
    showWalk(`refused: ${refused.code}. ${data.codes[refused.code]}`, true);
    return;
  }
  steps.push({ current: source, target, reviewed: walkReviewed.checked });
  showWalk(`${source} → ${target}`);
}

function showWalk(text, isRefused = false) {
  said.textContent = text;
  said.className = isRefused ? "refused" : "allowed";
  phaseText.textContent = current();
  history.replaceChildren(...steps.map((step) => element("li", {},
    `${step.current} → ${step.target}${step.reviewed ? ", reviewed" : ""}`)));
  markWalk(current(), new Set([start, ...steps.map((step) => step.target)]));
}

function asJson() {
  return JSON.stringify(steps.map((step, number) => ({
    action_id: `act_${"0".repeat(32)}`, sequence_number: number, ...step, review_id: null, at_ns: null,
  })), null, 2);
}

function asTest() {
  const lines = [
    "from phaseproof import validate_action_transition",
    "",
    "",
    "def test_this_history_is_lawful() -> None:",
    ...steps.map((step) =>
      `    validate_action_transition("${step.current}", "${step.target}"` +
      `${step.reviewed ? ", reviewed=True" : ""})`),
  ];
  if (!steps.length) lines.push("    pass  # no step was taken");
  return `${lines.join("\n")}\n`;
}

async function copy(text) {
  copied.value = text;
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied.";
  } catch {
    // A file on disk may not reach the clipboard everywhere: the text is selected instead.
    copied.focus();
    copied.select();
    said.textContent = "Selected: press Ctrl+C or ⌘C to copy.";
  }
  said.className = "allowed";
}
