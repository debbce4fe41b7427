CREATE TABLE phaseproof_edge (
    src TEXT NOT NULL,
    dst TEXT NOT NULL,
    needs_review INTEGER NOT NULL,
    CONSTRAINT phaseproof_edge_pk PRIMARY KEY (src, dst, needs_review),
    CONSTRAINT phaseproof_edge_of_the_lifecycle CHECK ((src = 'queued' AND dst = 'preflight' AND NOT needs_review)
        OR (src = 'queued' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'ready' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'waiting-review' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'ready' AND dst = 'running' AND NOT needs_review)
        OR (src = 'ready' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'running' AND dst = 'waiting-review' AND NOT needs_review)
        OR (src = 'running' AND dst = 'completed' AND NOT needs_review)
        OR (src = 'running' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'waiting-review' AND dst = 'preflight' AND needs_review)
        OR (src = 'waiting-review' AND dst = 'aborted' AND NOT needs_review)),
    CONSTRAINT phaseproof_edge_needs_review CHECK (needs_review IN (0, 1))
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE phaseproof_run (
    run_id TEXT NOT NULL,
    started_at_ns INTEGER NOT NULL,
    CONSTRAINT phaseproof_run_pk PRIMARY KEY (run_id),
    CONSTRAINT phaseproof_run_started CHECK (started_at_ns >= 0),
    CONSTRAINT phaseproof_run_id CHECK (length(CAST(run_id AS BLOB)) = 36 AND substr(run_id, 1, 4) = 'run_' AND substr(run_id, 5) NOT GLOB '*[^0-9a-f]*')
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE phaseproof_event (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    prev_number INTEGER,
    prev_at_ns INTEGER,
    prev_kind TEXT,
    CONSTRAINT phaseproof_event_pk PRIMARY KEY (run_id, number),
    CONSTRAINT phaseproof_event_whole UNIQUE (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_event_of_a_run FOREIGN KEY(run_id) REFERENCES phaseproof_run (run_id),
    CONSTRAINT phaseproof_event_follows FOREIGN KEY(run_id, prev_number, prev_at_ns, prev_kind) REFERENCES phaseproof_event (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_event_is_next CHECK ((number = 0 AND kind = 'started' AND at_ns = 0 AND prev_number IS NULL AND prev_at_ns IS NULL AND prev_kind IS NULL) OR (number > 0 AND kind IN ('planned', 'step', 'finished') AND prev_number IS NOT NULL AND prev_number = number - 1 AND prev_at_ns IS NOT NULL AND prev_at_ns <= at_ns AND prev_kind IS NOT NULL AND prev_kind <> 'finished'))
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE phaseproof_action (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    tool_id TEXT NOT NULL,
    parent_action_id TEXT,
    CONSTRAINT phaseproof_action_pk PRIMARY KEY (action_id),
    CONSTRAINT phaseproof_action_of_its_run UNIQUE (run_id, action_id),
    CONSTRAINT phaseproof_action_position_once UNIQUE (run_id, position),
    CONSTRAINT phaseproof_action_of_a_run FOREIGN KEY(run_id) REFERENCES phaseproof_run (run_id),
    CONSTRAINT phaseproof_action_parent_in_the_run FOREIGN KEY(run_id, parent_action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_action_position CHECK (position >= 0),
    CONSTRAINT phaseproof_action_no_self CHECK (parent_action_id IS NULL OR parent_action_id <> action_id),
    CONSTRAINT phaseproof_action_id CHECK (length(CAST(action_id AS BLOB)) = 36 AND substr(action_id, 1, 4) = 'act_' AND substr(action_id, 5) NOT GLOB '*[^0-9a-f]*'),
    CONSTRAINT phaseproof_action_tool CHECK (length(CAST(tool_id AS BLOB)) <= 512 AND tool_id GLOB 'tool:?*.?*/[a-z]*' AND substr(tool_id, 6) NOT GLOB '*[^a-z0-9./@-]*')
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE phaseproof_dependency (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    depends_on TEXT NOT NULL,
    CONSTRAINT phaseproof_dependency_pk PRIMARY KEY (action_id, depends_on),
    CONSTRAINT phaseproof_dependency_action_id_in_the_run FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_dependency_depends_on_in_the_run FOREIGN KEY(run_id, depends_on) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_dependency_no_self CHECK (action_id <> depends_on)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX phaseproof_dependency_of_run ON phaseproof_dependency (run_id);

CREATE TABLE phaseproof_step (
    action_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    prev_seq INTEGER,
    src TEXT,
    dst TEXT NOT NULL,
    needs_review INTEGER,
    reviewed INTEGER NOT NULL,
    review_id TEXT,
    run_id TEXT NOT NULL,
    event_number INTEGER NOT NULL,
    event_kind TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    idempotency_key TEXT,
    CONSTRAINT phaseproof_step_pk PRIMARY KEY (action_id, seq),
    CONSTRAINT phaseproof_step_event_once UNIQUE (run_id, event_number),
    CONSTRAINT phaseproof_step_of_an_action FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_step_is_an_event FOREIGN KEY(run_id, event_number, at_ns, event_kind) REFERENCES phaseproof_event (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_step_event_kind CHECK ((seq = 0 AND event_kind = 'planned') OR (seq > 0 AND event_kind = 'step')),
    CONSTRAINT phaseproof_step_key CHECK (length(CAST(idempotency_key AS BLOB)) = 36 AND substr(idempotency_key, 1, 4) = 'key_' AND substr(idempotency_key, 5) NOT GLOB '*[^0-9a-f]*'),
    CONSTRAINT phaseproof_step_reached UNIQUE (action_id, seq, dst),
    CONSTRAINT phaseproof_step_takes_an_edge FOREIGN KEY(src, dst, needs_review) REFERENCES phaseproof_edge (src, dst, needs_review),
    CONSTRAINT phaseproof_step_follows FOREIGN KEY(action_id, prev_seq, src) REFERENCES phaseproof_step (action_id, seq, dst),
    CONSTRAINT phaseproof_step_is_next CHECK ((seq = 0 AND prev_seq IS NULL AND src IS NULL AND needs_review IS NULL AND dst = 'queued' AND NOT reviewed) OR (seq > 0 AND prev_seq IS NOT NULL AND prev_seq = seq - 1 AND src IS NOT NULL AND needs_review IS NOT NULL)),
    CONSTRAINT phaseproof_step_is_lawful CHECK (seq = 0
        OR (src = 'queued' AND dst = 'preflight' AND NOT needs_review)
        OR (src = 'queued' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'ready' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'waiting-review' AND NOT needs_review)
        OR (src = 'preflight' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'ready' AND dst = 'running' AND NOT needs_review)
        OR (src = 'ready' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'running' AND dst = 'waiting-review' AND NOT needs_review)
        OR (src = 'running' AND dst = 'completed' AND NOT needs_review)
        OR (src = 'running' AND dst = 'aborted' AND NOT needs_review)
        OR (src = 'waiting-review' AND dst = 'preflight' AND needs_review)
        OR (src = 'waiting-review' AND dst = 'aborted' AND NOT needs_review)),
    CONSTRAINT phaseproof_step_is_reviewed CHECK (needs_review IS NULL OR NOT needs_review OR reviewed),
    CONSTRAINT phaseproof_step_review_was_declared CHECK (review_id IS NULL OR reviewed),
    CONSTRAINT phaseproof_step_reviewed CHECK (reviewed IN (0, 1)),
    CONSTRAINT phaseproof_step_review_id CHECK (review_id IS NULL OR (length(CAST(review_id AS BLOB)) = 36 AND substr(review_id, 1, 4) = 'rev_' AND substr(review_id, 5) NOT GLOB '*[^0-9a-f]*'))
)
 WITHOUT ROWID,
 STRICT;

CREATE UNIQUE INDEX phaseproof_step_key_once ON phaseproof_step (idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE UNIQUE INDEX phaseproof_step_review_once ON phaseproof_step (review_id) WHERE review_id IS NOT NULL;

CREATE TABLE phaseproof_action_end (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    phase TEXT NOT NULL,
    outcome_class TEXT NOT NULL,
    reason_code TEXT NOT NULL,
    error_code TEXT,
    error_stage TEXT,
    CONSTRAINT phaseproof_action_end_pk PRIMARY KEY (action_id),
    CONSTRAINT phaseproof_action_end_outcome CHECK ((outcome_class = 'success' AND reason_code IN ('completed')) OR (outcome_class = 'abstained' AND reason_code IN ('insufficient_evidence', 'low_confidence', 'out_of_scope')) OR (outcome_class = 'review_required' AND reason_code IN ('conflicting_evidence', 'human_gate', 'safety_review')) OR (outcome_class = 'policy_denied' AND reason_code IN ('consent_required', 'phi_policy', 'purpose_mismatch')) OR (outcome_class = 'failed' AND reason_code IN ('invalid_input', 'timeout', 'tool_error'))),
    CONSTRAINT phaseproof_action_end_error CHECK ((error_code IS NULL AND error_stage IS NULL) OR (error_code IS NOT NULL AND error_stage IS NOT NULL AND ((error_code IN ('invalid_configuration', 'invalid_input', 'schema_violation', 'unsupported_input') AND error_stage IN ('planning', 'post_processing', 'tool_call', 'validation')) OR (error_code IN ('consent_required', 'policy_denied', 'purpose_mismatch') AND error_stage IN ('authorization', 'planning', 'post_processing', 'tool_call', 'validation')) OR (error_code IN ('audience_mismatch', 'capability_expired', 'capability_missing') AND error_stage IN ('authorization', 'tool_call')) OR (error_code IN ('budget_exceeded', 'model_unavailable', 'optional_dependency_missing', 'resource_exhausted') AND error_stage IN ('planning', 'post_processing', 'provider', 'tool_call')) OR (error_code IN ('provider_failed', 'provider_protocol_error', 'provider_unavailable') AND error_stage IN ('provider', 'tool_call')) OR (error_code IN ('deadline_exceeded', 'request_timeout') AND error_stage IN ('post_processing', 'provider', 'tool_call')) OR (error_code IN ('internal_error') AND error_stage IN ('authorization', 'planning', 'post_processing', 'provider', 'tool_call', 'validation'))))),
    CONSTRAINT phaseproof_action_end_error_where_it_failed CHECK ((outcome_class IN ('failed', 'policy_denied')) = (error_code IS NOT NULL)),
    CONSTRAINT phaseproof_action_end_was_reached FOREIGN KEY(action_id, seq, phase) REFERENCES phaseproof_step (action_id, seq, dst),
    CONSTRAINT phaseproof_action_end_of_an_action FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_action_end_is_an_end CHECK (phase IN ('completed', 'aborted'))
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX phaseproof_action_end_of_run ON phaseproof_action_end (run_id);

CREATE TABLE phaseproof_artifact (
    run_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    schema_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    byte_size INTEGER NOT NULL,
    CONSTRAINT phaseproof_artifact_pk PRIMARY KEY (run_id, artifact_id),
    CONSTRAINT phaseproof_artifact_of_an_action FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_artifact_kind CHECK (kind IN ('evidence', 'preview', 'fhir', 'omop', 'evaluation')),
    CONSTRAINT phaseproof_artifact_size CHECK (byte_size >= 1),
    CONSTRAINT phaseproof_artifact_id CHECK (length(CAST(artifact_id AS BLOB)) = 36 AND substr(artifact_id, 1, 4) = 'art_' AND substr(artifact_id, 5) NOT GLOB '*[^0-9a-f]*'),
    CONSTRAINT phaseproof_artifact_sha256 CHECK (length(CAST(sha256 AS BLOB)) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
    CONSTRAINT phaseproof_artifact_schema CHECK (length(CAST(schema_id AS BLOB)) <= 128 AND schema_id GLOB '[a-z]*.v[1-9]*' AND schema_id NOT GLOB '*[^a-z0-9._-]*')
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE phaseproof_run_end (
    run_id TEXT NOT NULL,
    event_number INTEGER NOT NULL,
    event_kind TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    outcome_class TEXT NOT NULL,
    reason_code TEXT NOT NULL,
    error_code TEXT,
    error_stage TEXT,
    CONSTRAINT phaseproof_run_end_pk PRIMARY KEY (run_id),
    CONSTRAINT phaseproof_run_end_outcome CHECK ((outcome_class = 'success' AND reason_code IN ('completed')) OR (outcome_class = 'abstained' AND reason_code IN ('insufficient_evidence', 'low_confidence', 'out_of_scope')) OR (outcome_class = 'review_required' AND reason_code IN ('conflicting_evidence', 'human_gate', 'safety_review')) OR (outcome_class = 'policy_denied' AND reason_code IN ('consent_required', 'phi_policy', 'purpose_mismatch')) OR (outcome_class = 'failed' AND reason_code IN ('invalid_input', 'timeout', 'tool_error'))),
    CONSTRAINT phaseproof_run_end_error CHECK ((error_code IS NULL AND error_stage IS NULL) OR (error_code IS NOT NULL AND error_stage IS NOT NULL AND ((error_code IN ('invalid_configuration', 'invalid_input', 'schema_violation', 'unsupported_input') AND error_stage IN ('planning', 'post_processing', 'tool_call', 'validation')) OR (error_code IN ('consent_required', 'policy_denied', 'purpose_mismatch') AND error_stage IN ('authorization', 'planning', 'post_processing', 'tool_call', 'validation')) OR (error_code IN ('audience_mismatch', 'capability_expired', 'capability_missing') AND error_stage IN ('authorization', 'tool_call')) OR (error_code IN ('budget_exceeded', 'model_unavailable', 'optional_dependency_missing', 'resource_exhausted') AND error_stage IN ('planning', 'post_processing', 'provider', 'tool_call')) OR (error_code IN ('provider_failed', 'provider_protocol_error', 'provider_unavailable') AND error_stage IN ('provider', 'tool_call')) OR (error_code IN ('deadline_exceeded', 'request_timeout') AND error_stage IN ('post_processing', 'provider', 'tool_call')) OR (error_code IN ('internal_error') AND error_stage IN ('authorization', 'planning', 'post_processing', 'provider', 'tool_call', 'validation'))))),
    CONSTRAINT phaseproof_run_end_error_where_it_failed CHECK ((outcome_class IN ('failed', 'policy_denied')) = (error_code IS NOT NULL)),
    CONSTRAINT phaseproof_run_end_is_an_event FOREIGN KEY(run_id, event_number, at_ns, event_kind) REFERENCES phaseproof_event (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_run_end_is_the_end CHECK (event_kind = 'finished')
)
 WITHOUT ROWID,
 STRICT;

INSERT INTO phaseproof_edge (src, dst, needs_review) VALUES
    ('queued', 'preflight', 0),
    ('queued', 'aborted', 0),
    ('preflight', 'ready', 0),
    ('preflight', 'waiting-review', 0),
    ('preflight', 'aborted', 0),
    ('ready', 'running', 0),
    ('ready', 'aborted', 0),
    ('running', 'waiting-review', 0),
    ('running', 'completed', 0),
    ('running', 'aborted', 0),
    ('waiting-review', 'preflight', 1),
    ('waiting-review', 'aborted', 0);

CREATE VIEW phaseproof_phase AS
SELECT action_id, seq, dst AS phase FROM phaseproof_step AS last
WHERE NOT EXISTS (SELECT 1 FROM phaseproof_step AS later
    WHERE later.action_id = last.action_id AND later.seq = last.seq + 1);

CREATE TRIGGER phaseproof_edge_no_update BEFORE UPDATE ON phaseproof_edge
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_edge_no_delete BEFORE DELETE ON phaseproof_edge
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_edge_no_replace BEFORE INSERT ON phaseproof_edge
WHEN EXISTS (SELECT 1 FROM phaseproof_edge WHERE (src = NEW.src AND dst = NEW.dst AND needs_review = NEW.needs_review))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_no_update BEFORE UPDATE ON phaseproof_run
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_no_delete BEFORE DELETE ON phaseproof_run
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_no_replace BEFORE INSERT ON phaseproof_run
WHEN EXISTS (SELECT 1 FROM phaseproof_run WHERE (run_id = NEW.run_id))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_event_follows BEFORE INSERT ON phaseproof_event
WHEN NEW.run_id IS NOT NULL AND NEW.prev_number IS NOT NULL AND NEW.prev_at_ns IS NOT NULL AND NEW.prev_kind IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_event WHERE run_id = NEW.run_id AND number = NEW.prev_number AND at_ns = NEW.prev_at_ns AND kind = NEW.prev_kind)
BEGIN SELECT RAISE(ABORT, 'phaseproof_event_follows'); END;

CREATE TRIGGER phaseproof_event_of_a_run BEFORE INSERT ON phaseproof_event
WHEN NEW.run_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_run WHERE run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_event_of_a_run'); END;

CREATE TRIGGER phaseproof_event_no_update BEFORE UPDATE ON phaseproof_event
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_event_no_delete BEFORE DELETE ON phaseproof_event
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_event_no_replace BEFORE INSERT ON phaseproof_event
WHEN EXISTS (SELECT 1 FROM phaseproof_event WHERE (run_id = NEW.run_id AND number = NEW.number))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_of_a_run BEFORE INSERT ON phaseproof_action
WHEN NEW.run_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_run WHERE run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_action_of_a_run'); END;

CREATE TRIGGER phaseproof_action_parent_in_the_run BEFORE INSERT ON phaseproof_action
WHEN NEW.run_id IS NOT NULL AND NEW.parent_action_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.parent_action_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_action_parent_in_the_run'); END;

CREATE TRIGGER phaseproof_action_no_update BEFORE UPDATE ON phaseproof_action
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_no_delete BEFORE DELETE ON phaseproof_action
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_no_replace BEFORE INSERT ON phaseproof_action
WHEN EXISTS (SELECT 1 FROM phaseproof_action WHERE (action_id = NEW.action_id) OR (run_id = NEW.run_id AND position = NEW.position))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_dependency_action_id_in_the_run BEFORE INSERT ON phaseproof_dependency
WHEN NEW.run_id IS NOT NULL AND NEW.action_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.action_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_dependency_action_id_in_the_run'); END;

CREATE TRIGGER phaseproof_dependency_depends_on_in_the_run BEFORE INSERT ON phaseproof_dependency
WHEN NEW.run_id IS NOT NULL AND NEW.depends_on IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.depends_on)
BEGIN SELECT RAISE(ABORT, 'phaseproof_dependency_depends_on_in_the_run'); END;

CREATE TRIGGER phaseproof_dependency_no_update BEFORE UPDATE ON phaseproof_dependency
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_dependency_no_delete BEFORE DELETE ON phaseproof_dependency
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_dependency_no_replace BEFORE INSERT ON phaseproof_dependency
WHEN EXISTS (SELECT 1 FROM phaseproof_dependency WHERE (action_id = NEW.action_id AND depends_on = NEW.depends_on))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_step_follows BEFORE INSERT ON phaseproof_step
WHEN NEW.action_id IS NOT NULL AND NEW.prev_seq IS NOT NULL AND NEW.src IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_step WHERE action_id = NEW.action_id AND seq = NEW.prev_seq AND dst = NEW.src)
BEGIN SELECT RAISE(ABORT, 'phaseproof_step_follows'); END;

CREATE TRIGGER phaseproof_step_is_an_event BEFORE INSERT ON phaseproof_step
WHEN NEW.run_id IS NOT NULL AND NEW.event_number IS NOT NULL AND NEW.at_ns IS NOT NULL AND NEW.event_kind IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_event WHERE run_id = NEW.run_id AND number = NEW.event_number AND at_ns = NEW.at_ns AND kind = NEW.event_kind)
BEGIN SELECT RAISE(ABORT, 'phaseproof_step_is_an_event'); END;

CREATE TRIGGER phaseproof_step_of_an_action BEFORE INSERT ON phaseproof_step
WHEN NEW.run_id IS NOT NULL AND NEW.action_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.action_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_step_of_an_action'); END;

CREATE TRIGGER phaseproof_step_takes_an_edge BEFORE INSERT ON phaseproof_step
WHEN NEW.src IS NOT NULL AND NEW.dst IS NOT NULL AND NEW.needs_review IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_edge WHERE src = NEW.src AND dst = NEW.dst AND needs_review = NEW.needs_review)
BEGIN SELECT RAISE(ABORT, 'phaseproof_step_takes_an_edge'); END;

CREATE TRIGGER phaseproof_step_no_update BEFORE UPDATE ON phaseproof_step
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_step_no_delete BEFORE DELETE ON phaseproof_step
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_step_no_replace BEFORE INSERT ON phaseproof_step
WHEN EXISTS (SELECT 1 FROM phaseproof_step WHERE (idempotency_key = NEW.idempotency_key) OR (review_id = NEW.review_id) OR (action_id = NEW.action_id AND seq = NEW.seq) OR (run_id = NEW.run_id AND event_number = NEW.event_number))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_end_of_an_action BEFORE INSERT ON phaseproof_action_end
WHEN NEW.run_id IS NOT NULL AND NEW.action_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.action_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_action_end_of_an_action'); END;

CREATE TRIGGER phaseproof_action_end_was_reached BEFORE INSERT ON phaseproof_action_end
WHEN NEW.action_id IS NOT NULL AND NEW.seq IS NOT NULL AND NEW.phase IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_step WHERE action_id = NEW.action_id AND seq = NEW.seq AND dst = NEW.phase)
BEGIN SELECT RAISE(ABORT, 'phaseproof_action_end_was_reached'); END;

CREATE TRIGGER phaseproof_action_end_no_update BEFORE UPDATE ON phaseproof_action_end
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_end_no_delete BEFORE DELETE ON phaseproof_action_end
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_action_end_no_replace BEFORE INSERT ON phaseproof_action_end
WHEN EXISTS (SELECT 1 FROM phaseproof_action_end WHERE (action_id = NEW.action_id))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_artifact_of_an_action BEFORE INSERT ON phaseproof_artifact
WHEN NEW.run_id IS NOT NULL AND NEW.action_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_action WHERE run_id = NEW.run_id AND action_id = NEW.action_id)
BEGIN SELECT RAISE(ABORT, 'phaseproof_artifact_of_an_action'); END;

CREATE TRIGGER phaseproof_artifact_no_update BEFORE UPDATE ON phaseproof_artifact
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_artifact_no_delete BEFORE DELETE ON phaseproof_artifact
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_artifact_no_replace BEFORE INSERT ON phaseproof_artifact
WHEN EXISTS (SELECT 1 FROM phaseproof_artifact WHERE (run_id = NEW.run_id AND artifact_id = NEW.artifact_id))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_end_is_an_event BEFORE INSERT ON phaseproof_run_end
WHEN NEW.run_id IS NOT NULL AND NEW.event_number IS NOT NULL AND NEW.at_ns IS NOT NULL AND NEW.event_kind IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM phaseproof_event WHERE run_id = NEW.run_id AND number = NEW.event_number AND at_ns = NEW.at_ns AND kind = NEW.event_kind)
BEGIN SELECT RAISE(ABORT, 'phaseproof_run_end_is_an_event'); END;

CREATE TRIGGER phaseproof_run_end_no_update BEFORE UPDATE ON phaseproof_run_end
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_end_no_delete BEFORE DELETE ON phaseproof_run_end
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TRIGGER phaseproof_run_end_no_replace BEFORE INSERT ON phaseproof_run_end
WHEN EXISTS (SELECT 1 FROM phaseproof_run_end WHERE (run_id = NEW.run_id))
BEGIN SELECT RAISE(ABORT, 'append_only'); END;

CREATE TABLE phaseproof_schema_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT phaseproof_schema_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO phaseproof_schema_version (version_num) VALUES ('0001');
