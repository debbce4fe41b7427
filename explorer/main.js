// Puts the page together.

import { data } from "./lifecycle.js";
import { drawPhases } from "./picture.js";
import { listProperties } from "./proofs.js";
import { choose, clear, show } from "./question.js";
import { startWalk } from "./walk.js";

document.getElementById("digest").textContent = `graph ${data.digest}`;
drawPhases(choose, clear);
listProperties();
startWalk();
show();
