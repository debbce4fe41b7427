// The pairwise validator in TypeScript, and a run of the conformance vectors against it:
//
//     phaseproof vectors > vectors.json
//     node validator.js vectors.json        (compiled, or node 22 with validator.ts)

import { readFileSync } from "node:fs";

type Transitions = Record<string, Record<string, boolean>>;
type Refusal = { code: string; field: string | null };
type Vector = Refusal & { current: unknown; target: unknown; reviewed: unknown; accepted: boolean };

/** Accept one step by returning null, or say why not. Nothing is coerced. */
function validate(
  transitions: Transitions, current: unknown, target: unknown, reviewed: unknown,
): Refusal | null {
  const isPhase = (value: unknown): value is string =>
    typeof value === "string" && Object.hasOwn(transitions, value);
  if (!isPhase(current)) return { code: "unknown_phase", field: "current" };
  if (!isPhase(target)) return { code: "unknown_phase", field: "target" };
  if (typeof reviewed !== "boolean") return { code: "invalid_reviewed", field: "reviewed" };
  if (!Object.hasOwn(transitions[current], target)) {
    return { code: "invalid_transition", field: null };
  }
  if (transitions[current][target] && !reviewed) {
    return { code: "review_required", field: "reviewed" };
  }
  return null;
}

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
const transitions: Transitions = vectors.transitions;
const steps: Vector[] = [...vectors.steps, ...vectors.wrong_steps];
let failures = 0;

for (const [index, vector] of steps.entries()) {
  const refusal = validate(transitions, vector.current, vector.target, vector.reviewed);
  const same = refusal === null
    ? vector.accepted
    : !vector.accepted && refusal.code === vector.code && refusal.field === vector.field;
  if (!same) {
    failures += 1;
    console.log(`vector ${index}: ${refusal?.code ?? "accepted"} instead of ${vector.code}`);
  }
}
for (const { phase, terminal, resumable } of vectors.phases) {
  const ways = Object.values(transitions[phase]);
  if ((ways.length === 0) !== terminal || ways.includes(true) !== resumable) {
    failures += 1;
    console.log(`phase ${phase}: terminal or resumable differs`);
  }
}
console.log(`${steps.length} steps and ${vectors.phases.length} phases, ${failures} failures`);
process.exitCode = failures ? 1 : 0;
