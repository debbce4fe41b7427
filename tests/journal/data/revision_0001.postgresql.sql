CREATE TABLE phaseproof_edge (
    src TEXT NOT NULL,
    dst TEXT NOT NULL,
    needs_review BOOLEAN NOT NULL,
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
        OR (src = 'waiting-review' AND dst = 'aborted' AND NOT needs_review))
);

CREATE TABLE phaseproof_run (
    run_id TEXT NOT NULL,
    started_at_ns BIGINT NOT NULL,
    CONSTRAINT phaseproof_run_pk PRIMARY KEY (run_id),
    CONSTRAINT phaseproof_run_started CHECK (started_at_ns >= 0),
    CONSTRAINT phaseproof_run_id CHECK (run_id ~ '^run_[0-9a-f]{32}$')
);

CREATE TABLE phaseproof_event (
    run_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at_ns BIGINT NOT NULL,
    kind TEXT NOT NULL,
    prev_number BIGINT,
    prev_at_ns BIGINT,
    prev_kind TEXT,
    CONSTRAINT phaseproof_event_pk PRIMARY KEY (run_id, number),
    CONSTRAINT phaseproof_event_whole UNIQUE (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_event_of_a_run FOREIGN KEY(run_id) REFERENCES phaseproof_run (run_id),
    CONSTRAINT phaseproof_event_follows FOREIGN KEY(run_id, prev_number, prev_at_ns, prev_kind) REFERENCES phaseproof_event (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_event_is_next CHECK ((number = 0 AND kind = 'started' AND at_ns = 0 AND prev_number IS NULL AND prev_at_ns IS NULL AND prev_kind IS NULL) OR (number > 0 AND kind IN ('planned', 'step', 'finished') AND prev_number IS NOT NULL AND prev_number = number - 1 AND prev_at_ns IS NOT NULL AND prev_at_ns <= at_ns AND prev_kind IS NOT NULL AND prev_kind <> 'finished'))
);

CREATE TABLE phaseproof_action (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    tool_id TEXT NOT NULL,
    parent_action_id TEXT,
    CONSTRAINT phaseproof_action_pk PRIMARY KEY (action_id),
    CONSTRAINT phaseproof_action_of_its_run UNIQUE (run_id, action_id),
    CONSTRAINT phaseproof_action_position_once UNIQUE (run_id, position),
    CONSTRAINT phaseproof_action_of_a_run FOREIGN KEY(run_id) REFERENCES phaseproof_run (run_id),
    CONSTRAINT phaseproof_action_parent_in_the_run FOREIGN KEY(run_id, parent_action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_action_position CHECK (position >= 0),
    CONSTRAINT phaseproof_action_no_self CHECK (parent_action_id IS NULL OR parent_action_id <> action_id),
    CONSTRAINT phaseproof_action_id CHECK (action_id ~ '^act_[0-9a-f]{32}$'),
    CONSTRAINT phaseproof_action_tool CHECK (length(tool_id) <= 512 AND tool_id ~ '^tool:[a-z0-9-]+([.][a-z0-9-]+)+/[a-z][a-z0-9-]*(@[0-9]+[.][0-9]+[.][0-9]+)?$')
);

CREATE TABLE phaseproof_dependency (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    depends_on TEXT NOT NULL,
    CONSTRAINT phaseproof_dependency_pk PRIMARY KEY (action_id, depends_on),
    CONSTRAINT phaseproof_dependency_action_id_in_the_run FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_dependency_depends_on_in_the_run FOREIGN KEY(run_id, depends_on) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_dependency_no_self CHECK (action_id <> depends_on)
);

CREATE INDEX phaseproof_dependency_of_run ON phaseproof_dependency (run_id);

CREATE TABLE phaseproof_step (
    action_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    prev_seq BIGINT,
    src TEXT,
    dst TEXT NOT NULL,
    needs_review BOOLEAN,
    reviewed BOOLEAN NOT NULL,
    review_id TEXT,
    run_id TEXT NOT NULL,
    event_number BIGINT NOT NULL,
    event_kind TEXT NOT NULL,
    at_ns BIGINT NOT NULL,
    idempotency_key TEXT,
    CONSTRAINT phaseproof_step_pk PRIMARY KEY (action_id, seq),
    CONSTRAINT phaseproof_step_event_once UNIQUE (run_id, event_number),
    CONSTRAINT phaseproof_step_of_an_action FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_step_is_an_event FOREIGN KEY(run_id, event_number, at_ns, event_kind) REFERENCES phaseproof_event (run_id, number, at_ns, kind),
    CONSTRAINT phaseproof_step_event_kind CHECK ((seq = 0 AND event_kind = 'planned') OR (seq > 0 AND event_kind = 'step')),
    CONSTRAINT phaseproof_step_key CHECK (idempotency_key ~ '^key_[0-9a-f]{32}$'),
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
    CONSTRAINT phaseproof_step_review_id CHECK (review_id ~ '^rev_[0-9a-f]{32}$')
);

CREATE UNIQUE INDEX phaseproof_step_key_once ON phaseproof_step (idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE UNIQUE INDEX phaseproof_step_review_once ON phaseproof_step (review_id) WHERE review_id IS NOT NULL;

CREATE TABLE phaseproof_action_end (
    run_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
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
);

CREATE INDEX phaseproof_action_end_of_run ON phaseproof_action_end (run_id);

CREATE TABLE phaseproof_artifact (
    run_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    schema_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    byte_size BIGINT NOT NULL,
    CONSTRAINT phaseproof_artifact_pk PRIMARY KEY (run_id, artifact_id),
    CONSTRAINT phaseproof_artifact_of_an_action FOREIGN KEY(run_id, action_id) REFERENCES phaseproof_action (run_id, action_id),
    CONSTRAINT phaseproof_artifact_kind CHECK (kind IN ('evidence', 'preview', 'fhir', 'omop', 'evaluation')),
    CONSTRAINT phaseproof_artifact_size CHECK (byte_size >= 1),
    CONSTRAINT phaseproof_artifact_id CHECK (artifact_id ~ '^art_[0-9a-f]{32}$'),
    CONSTRAINT phaseproof_artifact_sha256 CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT phaseproof_artifact_schema CHECK (length(schema_id) <= 128 AND schema_id ~ '^[a-z][a-z0-9]*([._-][a-z0-9]+)+[.]v[1-9][0-9]*$')
);

CREATE TABLE phaseproof_run_end (
    run_id TEXT NOT NULL,
    event_number BIGINT NOT NULL,
    event_kind TEXT NOT NULL,
    at_ns BIGINT NOT NULL,
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
);

INSERT INTO phaseproof_edge (src, dst, needs_review) VALUES
    ('queued', 'preflight', false),
    ('queued', 'aborted', false),
    ('preflight', 'ready', false),
    ('preflight', 'waiting-review', false),
    ('preflight', 'aborted', false),
    ('ready', 'running', false),
    ('ready', 'aborted', false),
    ('running', 'waiting-review', false),
    ('running', 'completed', false),
    ('running', 'aborted', false),
    ('waiting-review', 'preflight', true),
    ('waiting-review', 'aborted', false);

CREATE VIEW phaseproof_phase AS
SELECT action_id, seq, dst AS phase FROM phaseproof_step AS last
WHERE NOT EXISTS (SELECT 1 FROM phaseproof_step AS later
    WHERE later.action_id = last.action_id AND later.seq = last.seq + 1);

CREATE OR REPLACE FUNCTION phaseproof_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'append_only' USING
ERRCODE = 'integrity_constraint_violation'; END $$;

CREATE TRIGGER phaseproof_edge_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_edge
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_run_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_run
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_event
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_action_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_action
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_dependency_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_dependency
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_step_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_step
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_action_end_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_action_end
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_artifact_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_artifact
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TRIGGER phaseproof_run_end_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseproof_run_end
FOR EACH STATEMENT EXECUTE FUNCTION phaseproof_append_only();

CREATE TABLE phaseproof_schema_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT phaseproof_schema_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO phaseproof_schema_version (version_num) VALUES ('0001');
