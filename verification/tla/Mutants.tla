------------------------------- MODULE Mutants -------------------------------
(****************************************************************************)
(* Every graph that differs from the lifecycle in one edge, and every       *)
(* property of Lifecycle.tla about each: the run starts by choosing one     *)
(* mutant and one claim. TLC is told to go on after a violation, so that    *)
(* one run lists every pair of a mutant and a claim that it breaks.         *)
(****************************************************************************)
EXTENDS Lifecycle

VARIABLES
  mutant,  \* which edge differs, and what it has become
  claim    \* the property that this run is about

\* An edge between two phases is absent, plain, or there with review: 49 pairs and two other
\* values for each, 98 mutants.
Value(from, to) ==
  CASE [from |-> from, to |-> to, review |-> FALSE] \in Edges -> "plain"
    [] [from |-> from, to |-> to, review |-> TRUE]  \in Edges -> "review"
    [] OTHER                                                  -> "absent"

Mutants ==
  {m \in [from : Phases, to : Phases, becomes : {"absent", "plain", "review"}] :
     m.becomes # Value(m.from, m.to)}

Mutated(m) ==
  LET others == {edge \in Edges : edge.from # m.from \/ edge.to # m.to}
      edge   == [from |-> m.from, to |-> m.to, review |-> m.becomes = "review"]
  IN  IF m.becomes = "absent" THEN others ELSE others \cup {edge}

Claims == {"P2", "P3", "P4", "P5", "T1", "T2", "T3", "T4"}

MutantInit ==
  /\ mutant \in Mutants
  /\ claim \in Claims
  /\ graph = Mutated(mutant)
  /\ phase = "queued"
  /\ paused = FALSE

MutantNext == Next /\ UNCHANGED <<mutant, claim>>

MutantSpec == MutantInit /\ [][MutantNext]_<<vars, mutant, claim>>

\* The claims that are invariants, and the one that is about steps.
ClaimHolds ==
  CASE claim = "P2" -> P2
    [] claim = "P3" -> P3
    [] claim = "P4" -> P4
    [] claim = "P5" -> P5
    [] claim = "T2" -> T2
    [] claim = "T3" -> T3
    [] claim = "T4" -> T4
    [] OTHER        -> TRUE

ClaimedSteps == [][claim = "T1" => StaysEnded]_phase
=============================================================================
