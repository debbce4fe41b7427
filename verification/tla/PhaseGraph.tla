----------------------------- MODULE PhaseGraph ------------------------------
(****************************************************************************)
(* The lifecycle of one action as a graph: its phases, its edges, and for   *)
(* each edge whether the step needs an external review. Every other module  *)
(* here reads it.                                                           *)
(*                                                                          *)
(* Written by scripts/write_tla.py from ACTION_PHASE_TRANSITIONS in         *)
(* phaseproof.action_phases. Change that, and write this again.             *)
(****************************************************************************)

Phases ==
  { "queued",
    "preflight",
    "ready",
    "running",
    "waiting-review",
    "completed",
    "aborted" }

Edges ==
  { [from |-> "queued",         to |-> "preflight",      review |-> FALSE],
    [from |-> "queued",         to |-> "aborted",        review |-> FALSE],
    [from |-> "preflight",      to |-> "ready",          review |-> FALSE],
    [from |-> "preflight",      to |-> "waiting-review", review |-> FALSE],
    [from |-> "preflight",      to |-> "aborted",        review |-> FALSE],
    [from |-> "ready",          to |-> "running",        review |-> FALSE],
    [from |-> "ready",          to |-> "aborted",        review |-> FALSE],
    [from |-> "running",        to |-> "waiting-review", review |-> FALSE],
    [from |-> "running",        to |-> "completed",      review |-> FALSE],
    [from |-> "running",        to |-> "aborted",        review |-> FALSE],
    [from |-> "waiting-review", to |-> "preflight",      review |-> TRUE],
    [from |-> "waiting-review", to |-> "aborted",        review |-> FALSE] }
==============================================================================
