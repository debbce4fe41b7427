"""Our texts in the engines that they are written for: Mermaid draws one, XState runs another."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from phaseproof import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.conformance_vectors import conformance_vectors
from phaseproof.diagrams import render

MODULES = Path(__file__).parent / "node_modules"
EDGES = {
    (source.value, target.value): needs_review
    for source, targets in ACTION_PHASE_TRANSITIONS.items()
    for target, needs_review in targets.items()
}

XSTATE_PROGRAM = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { setup, createActor } = await import(pathToFileURL(process.argv[2]));
const config = JSON.parse(readFileSync(0, "utf8"));
const machine = setup({ guards: { reviewed: ({ event }) => event.reviewed === true } })
  .createMachine(config);
const name = (phase) => `TO_${phase.replaceAll("-", "_").toUpperCase()}`;
const verdicts = {};
for (const source of Object.keys(config.states)) {
  for (const target of Object.keys(config.states)) {
    for (const reviewed of [false, true]) {
      const actor = createActor(machine, { snapshot: machine.resolveState({ value: source }) });
      actor.start();
      actor.send({ type: name(target), reviewed });
      verdicts[`${source} ${target} ${reviewed}`] = actor.getSnapshot().value;
    }
  }
}
console.log(JSON.stringify(verdicts));
"""


def test_the_typescript_validator_passes_the_vectors(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    source = Path(__file__).parents[2] / "examples" / "validator.ts"
    compiler = MODULES / "typescript" / "bin" / "tsc"
    (tmp_path / "validator.ts").write_bytes(source.read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "node.d.ts").write_text(
        "declare module 'node:fs' { export function readFileSync(p: string, e: string): string }\n"
        "declare const process: { argv: string[]; exitCode: number };\n"
        "declare const console: { log(text: string): void };\n",
        encoding="utf-8",
    )
    options = ["--target", "es2022", "--module", "nodenext", "--strict", "--lib", "es2022"]
    files = [str(tmp_path / name) for name in ("validator.ts", "node.d.ts")]
    subprocess.run([node, str(compiler), *options, *files], check=True)
    vectors = tmp_path / "vectors.json"
    vectors.write_text(json.dumps(conformance_vectors()), encoding="utf-8")
    call = [node, str(tmp_path / "validator.js"), str(vectors)]
    passed = subprocess.run(call, capture_output=True, text=True, check=True)
    assert passed.stdout == "165 steps and 7 phases, 0 failures\n"
    broken = conformance_vectors()
    broken["steps"][0]["accepted"] = True
    vectors.write_text(json.dumps(broken), encoding="utf-8")
    failed = subprocess.run(call, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "vector 0: invalid_transition instead of" in failed.stdout


def test_xstate_takes_exactly_the_steps_of_the_graph(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    program = tmp_path / "edges.mjs"
    program.write_text(XSTATE_PROGRAM, encoding="utf-8")
    (entry,) = MODULES.glob("xstate/dist/xstate.esm.js")
    finished = subprocess.run(
        [node, str(program), str(entry)], input=render("xstate"), capture_output=True, check=True
    )
    verdicts = json.loads(finished.stdout)
    assert len(verdicts) == 98
    for pair, value in verdicts.items():
        source, target, reviewed = pair.split()
        needs_review = EDGES.get((source, target))
        allowed = needs_review is not None and (reviewed == "true" or not needs_review)
        assert value == (target if allowed else source), pair


@pytest.mark.parametrize("highlight", [None, "queued,preflight,waiting-review,running"])
def test_mermaid_draws_every_phase_and_every_step(
    browser: Browser, tmp_path: Path, highlight: str | None
) -> None:
    source = render("mermaid", highlight).decode("utf-8")
    html = tmp_path / "mermaid.html"
    library = (MODULES / "mermaid" / "dist" / "mermaid.esm.min.mjs").as_uri()
    html.write_text(
        f"""<!doctype html><meta charset="utf-8"><pre id="text"></pre><div id="drawn"></div>
        <script type="module">
          import mermaid from "{library}";
          mermaid.initialize({{ startOnLoad: false }});
          const text = {json.dumps(source)};
          const {{ svg }} = await mermaid.render("picture", text);
          document.getElementById("drawn").innerHTML = svg;
          document.body.dataset.done = "yes";
        </script>""",
        encoding="utf-8",
    )
    page = browser.new_page(viewport={"width": 1200, "height": 700})
    page.goto(html.as_uri())
    page.wait_for_selector("body[data-done=yes]", timeout=20_000)
    text = page.locator("#drawn svg").text_content() or ""
    for phase in ActionPhase:
        assert phase.value in text
    assert "[reviewed]" in text
    steps = page.locator("#drawn svg path.transition").count()
    extra = 1 if highlight else 0  # the refused step has no edge of its own
    assert steps == len(EDGES) + 1 + 2 + extra
    screenshots = Path(__file__).parents[2] / "build" / "screenshots"
    screenshots.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(screenshots / f"mermaid-{'history' if highlight else 'plain'}.png"))
    page.close()
