// What the page knows: the graph, the validator's verdicts, the proofs and the mutants. All of it
// was computed by phaseproof and its verification; nothing is decided here.

export const data = JSON.parse(document.getElementById("data").textContent);

export const phases = data.phases.map((phase) => phase.id);
export const alias = (phase) => phase.replaceAll("-", "_");

export function edge(source, target) {
  return data.edges.find((one) => one.source === source && one.target === target);
}

/** The validator's verdict on a step: null, or a code and perhaps a field. */
export function refusal(source, target, reviewed) {
  return data.verdicts[source][target][reviewed ? "reviewed" : "unreviewed"];
}

export function property(id) {
  return data.properties.find((one) => one.id === id);
}

/** What changing the pair's edge would break: "absent", "plain" or "review" instead of what is. */
export function mutant(source, target, becomes) {
  return data.mutants.find(
    (one) => one.source === source && one.target === target && one.becomes === becomes,
  );
}

export function following(source) {
  return data.edges.filter((one) => one.source === source);
}
