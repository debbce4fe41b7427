------------------------------ MODULE Lifecycle ------------------------------
(****************************************************************************)
(* One action, and what TLC is asked about it: the properties P2 to P5 of   *)
(* the graph and T1 to T4 over time, under the names that they have in the  *)
(* report. The edges are those of PhaseGraph.tla, which is generated; this  *)
(* module holds none of its own.                                            *)
(*                                                                          *)
(* Ordinary TLA+ formulas speak of all steps that a run takes. Most of what *)
(* is claimed here speaks of steps that can or can't be taken, so it is     *)
(* said with ENABLED, as an invariant. That also is what sees a step from a *)
(* phase to itself: such a step changes nothing, and formulas of the form   *)
(* [][...]_vars overlook it by design.                                      *)
(****************************************************************************)
EXTENDS PhaseGraph

VARIABLES
  graph,   \* the edges that are followed: no step changes them, Mutants.tla starts with others
  phase,   \* where the action is
  paused   \* a monitor: it has waited for review, and preflight hasn't been run since

vars == <<graph, phase, paused>>

Init ==
  /\ graph = Edges
  /\ phase = "queued"
  /\ paused = FALSE

Take(edge) ==
  /\ phase = edge.from
  /\ phase' = edge.to
  /\ paused' = (edge.to = "waiting-review" \/ (paused /\ edge.to # "preflight"))
  /\ UNCHANGED graph

\* A step that needs no review, and one that does.
Advance == \E edge \in graph : ~edge.review /\ Take(edge)
Resume  == \E edge \in graph :  edge.review /\ Take(edge)

Next == Advance \/ Resume
Abort == Next /\ phase' = "aborted"

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* The graph: each is an invariant, so it is checked in every phase that an *)
(* action can reach. That these are all seven is P1, which isn't TLC's.     *)

\* completed and aborted are terminal, nothing else is
Ended == {"completed", "aborted"}
P2 == (phase \in Ended) <=> ~ENABLED Next

\* the only edge that needs review, and the only way on from waiting-review other than
\* aborting, is to preflight
P3 ==
  /\ ENABLED Resume <=> phase = "waiting-review"
  /\ ~ENABLED (Resume /\ phase' # "preflight")
  /\ phase = "waiting-review" => ~ENABLED (Advance /\ phase' # "aborted")

\* every nonterminal phase aborts in one unreviewed step
P4 == ENABLED Next => ENABLED (Advance /\ phase' = "aborted")

\* no phase leads to itself
P5 == ~ENABLED (Next /\ phase' = phase)

----------------------------------------------------------------------------
(* Over time.                                                               *)

\* AG (terminal => AG same phase): what has ended stays ended. "Has ended" means the two phases
\* that P2 names. Were it read off the graph (no edge goes out), no graph could break it. As a
\* formula about steps it leaves the step from an ended phase to itself to P2 and P5.
StaysEnded == phase \notin Ended
T1 == [][StaysEnded]_phase

\* AG EF terminal: from wherever an action is, it can end. TLA+ has no EF: its formulas speak of
\* all runs, never of some. But a run here is any walk along the edges, and no step but the
\* edges' constrains it, so "some walk from here reaches a terminal phase" holds exactly in the
\* phases found by going back from the terminal ones along the edges. T2 says that an action is
\* always in one of these. T2 and AG EF terminal are the same on this model, for any graph.
RECURSIVE LeadingTo(_)
LeadingTo(phases) ==
  LET wider == phases \cup {edge.from : edge \in {e \in graph : e.to \in phases}}
  IN  IF wider = phases THEN phases ELSE LeadingTo(wider)

Terminal == {p \in Phases : \A edge \in graph : edge.from # p}
T2 == phase \in LeadingTo(Terminal)

\* The same by TLC's own search for loops: if an abort that stays possible is taken some day,
\* every run ends. Weak fairness can be met after any beginning of a run, so if all fair runs
\* end, then each beginning can be continued to an end, which is AG EF terminal (Lamport,
\* "Proving Possibility Properties", 1998). This way round only: it proves T2 and can't refute
\* it. Where P2 and T3 hold it can't fail.
FairSpec == Spec /\ WF_vars(Abort)
T2Fair == []<>(~ENABLED Next)

\* AG (nonterminal => EX aborted): whatever happens, the next step may be to abort. Unlike P4 it
\* would let a review stand before the abort.
T3 == ENABLED Next => ENABLED Abort

\* AG (waiting-review => A[~(ready \/ running \/ completed) W preflight]): after a pause nothing
\* goes on before preflight is run again. TLC has no W either: the monitor is true from a pause
\* up to the next preflight, which is exactly where W demands something.
T4 == paused => phase \notin {"ready", "running", "completed"}
=============================================================================
