--------------------------------- MODULE Run ---------------------------------
(****************************************************************************)
(* A run of several actions under a scheduler. Each takes the steps of      *)
(* PhaseGraph.tla at any moment, pausing, resuming and aborting included.   *)
(* Only into running does an action go no sooner than all that it depends   *)
(* on is completed and one of the places to run in is free.                 *)
(****************************************************************************)
EXTENDS Naturals, FiniteSets, PhaseGraph

CONSTANTS
  Actions,  \* 1..n
  Shapes    \* which shapes of a run are looked at

VARIABLES
  shape,    \* [needs: what each action depends on, capacity: how many may be running at once]
  phase     \* where each action is

vars == <<shape, phase>>

\* Every way in which an action can depend on earlier ones, which up to renaming is every graph
\* of dependencies without a cycle, with every capacity that can matter.
EveryShape ==
  [needs : {needs \in [Actions -> SUBSET Actions] :
              \A a \in Actions : \A b \in needs[a] : b < a},
   capacity : 1..Cardinality(Actions)]

Init ==
  /\ shape \in Shapes
  /\ phase = [a \in Actions |-> "queued"]

Running == {a \in Actions : phase[a] = "running"}

MayRun(a) ==
  /\ \A b \in shape.needs[a] : phase[b] = "completed"
  /\ Cardinality(Running) < shape.capacity

Step(a) ==
  \E edge \in Edges :
    /\ phase[a] = edge.from
    /\ edge.to = "running" => MayRun(a)
    /\ phase' = [phase EXCEPT ![a] = edge.to]
    /\ UNCHANGED shape

Terminal == {p \in Phases : \A edge \in Edges : edge.from # p}
AllEnded == \A a \in Actions : phase[a] \in Terminal

\* A run that has ended stays as it is. Said as a step, so that TLC's check for deadlock finds
\* every other state without a step, and nothing else.
Done == AllEnded /\ UNCHANGED vars

Next == (\E a \in Actions : Step(a)) \/ Done

----------------------------------------------------------------------------

\* no action runs or completes before what it depends on has completed
DependenciesFirst ==
  \A a \in Actions :
    phase[a] \in {"running", "completed"} => \A b \in shape.needs[a] : phase[b] = "completed"

\* no more actions are running than there are places
WithinCapacity == Cardinality(Running) <= shape.capacity
=============================================================================
