-- A list of more than two values in a CHECK, or in the condition of an index, is a table that SQLite builds
-- anew for every row that is written. The same said as comparisons costs nothing that can be measured. Only
-- the words change: what is accepted stays the same, and no row is touched, so the stored text of the
-- tables is changed in place, as SQLite's manual describes it for exactly this.
DROP INDEX tool_calls_open;
CREATE INDEX tool_calls_open ON tool_calls (session_id, status)
    WHERE status = 'proposed' OR status = 'waiting' OR status = 'ready' OR status = 'running'
       OR status = 'in_doubt';

PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (status IN (
                        ''queued'', ''running'', ''waiting'', ''stopped'', ''interrupted'',
                        ''completed'', ''failed'', ''cancelled''))',
'CHECK (
        status = ''queued'' OR status = ''running'' OR status = ''waiting'' OR status = ''stopped''
        OR status = ''interrupted'' OR status = ''completed'' OR status = ''failed''
        OR status = ''cancelled'')')
WHERE type = 'table' AND name = 'runs';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (reason IN (
                        ''stopped_by_user'', ''app_closed'', ''app_ended'', ''superseded'', ''discarded'',
                        ''step_limit'', ''time_limit'', ''token_limit'', ''cost_limit''))',
'CHECK (
        reason = ''stopped_by_user'' OR reason = ''app_closed'' OR reason = ''app_ended''
        OR reason = ''superseded'' OR reason = ''discarded'' OR reason = ''step_limit''
        OR reason = ''time_limit'' OR reason = ''token_limit'' OR reason = ''cost_limit'')')
WHERE type = 'table' AND name = 'runs';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (status IN (
                      ''planned'', ''running'', ''completed'', ''failed'', ''interrupted'', ''cancelled''))',
'CHECK (
        status = ''planned'' OR status = ''running'' OR status = ''completed''
        OR status = ''failed'' OR status = ''interrupted'' OR status = ''cancelled'')')
WHERE type = 'table' AND name = 'steps';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (status IN (
                       ''running'', ''completed'', ''failed'', ''interrupted'', ''cancelled''))',
'CHECK (
        status = ''running'' OR status = ''completed'' OR status = ''failed''
        OR status = ''interrupted'' OR status = ''cancelled'')')
WHERE type = 'table' AND name = 'attempts';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (kind IN (''text'', ''reasoning'', ''arguments''))',
'CHECK (
        kind = ''text'' OR kind = ''reasoning'' OR kind = ''arguments'')')
WHERE type = 'table' AND name = 'deltas';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (effect IN (''read'', ''idempotent'', ''once''))',
'CHECK (
        effect = ''read'' OR effect = ''idempotent'' OR effect = ''once'')')
WHERE type = 'table' AND name = 'tool_calls';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (status IN (
                           ''proposed'', ''waiting'', ''ready'', ''running'', ''completed'', ''failed'',
                           ''denied'', ''skipped'', ''in_doubt'', ''cancelled''))',
'CHECK (
        status = ''proposed'' OR status = ''waiting'' OR status = ''ready'' OR status = ''running''
        OR status = ''completed'' OR status = ''failed'' OR status = ''denied''
        OR status = ''skipped'' OR status = ''in_doubt'' OR status = ''cancelled'')')
WHERE type = 'table' AND name = 'tool_calls';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (verdict IN (''allow'', ''ask'', ''deny''))',
'CHECK (
        verdict = ''allow'' OR verdict = ''ask'' OR verdict = ''deny'')')
WHERE type = 'table' AND name = 'tool_calls';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (status IN (
                       ''pending'', ''allowed'', ''denied'', ''expired'', ''superseded'', ''closed''))',
'CHECK (
        status = ''pending'' OR status = ''allowed'' OR status = ''denied'' OR status = ''expired''
        OR status = ''superseded'' OR status = ''closed'')')
WHERE type = 'table' AND name = 'approvals';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (verdict IN (''allow'', ''ask'', ''deny''))',
'CHECK (
        verdict = ''allow'' OR verdict = ''ask'' OR verdict = ''deny'')')
WHERE type = 'table' AND name = 'rules';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (scope IN (''global'', ''workspace'', ''session''))',
'CHECK (
        scope = ''global'' OR scope = ''workspace'' OR scope = ''session'')')
WHERE type = 'table' AND name = 'rules';

UPDATE sqlite_schema SET sql = replace(sql,
'CHECK (kind IN (
                   ''chain'', ''command'', ''app'', ''recovery'', ''decision'', ''effect'', ''record''))',
'CHECK (
        kind = ''chain'' OR kind = ''command'' OR kind = ''app'' OR kind = ''recovery''
        OR kind = ''decision'' OR kind = ''effect'' OR kind = ''record'')')
WHERE type = 'table' AND name = 'audit';

PRAGMA writable_schema = RESET;
