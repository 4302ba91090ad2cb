//! The lifecycle of tool calls: written whole, each change compared by its revision and its status.

use protocol::CallStatus;
use protocol::limits::ARGUMENTS_BYTES;
use rusqlite::{Connection, ToSql};

use super::statement::{check_size, check_text, insert, json, set, update_one};
use crate::{CallRow, Error};

/// What of a result is shown and told to the model.
const RESULT_BYTES: usize = 256 * 1024;
/// The whole of a result.
const WHOLE_BYTES: usize = 8 * 1024 * 1024;
/// What a person is shown before they decide.
const PREVIEW_BYTES: usize = 4 * 1024 * 1024;

/// The parameters that both statements share, ?1 to ?26, in the order of `Texts::changing`.
const INSERT: &str = "
    INSERT INTO tool_calls
        (tool_hash, effect, status, verdict, verdict_rule, verdict_text, digest, argument_hash,
         step_id, result_is_error, result_class, result_bytes, doubt_reason, can_check, checks,
         next_check_at_ms, bodies, started_at_ms, ended_at_ms, resources, detail, arguments,
         proposed_arguments, preview, result, result_whole,
         id, session_id, run_id, message_id, ordinal, provider_id, tool, effect_key, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35)";

/// The whole result stays where a later change does not bring another.
const UPDATE: &str = "
    UPDATE tool_calls
    SET tool_hash = ?1, effect = ?2, status = ?3, verdict = ?4, verdict_rule = ?5,
        verdict_text = ?6, digest = ?7, argument_hash = ?8, step_id = ?9, result_is_error = ?10,
        result_class = ?11, result_bytes = ?12, doubt_reason = ?13, can_check = ?14, checks = ?15,
        next_check_at_ms = ?16, bodies = ?17, started_at_ms = ?18, ended_at_ms = ?19,
        resources = ?20, detail = ?21, arguments = ?22, proposed_arguments = ?23, preview = ?24,
        result = ?25,
        result_whole = iif(?25 IS NULL, NULL, coalesce(?26, result_whole)),
        revision = revision + 1
    WHERE id = ?27 AND revision = ?28 AND status = ?29";

pub(super) fn add(connection: &Connection, call: &CallRow) -> Result<(), Error> {
    let (view, texts) = (&call.view, Texts::of(call, None)?);
    check_text("the provider's id of the call", Some(&call.provider_id))?;
    check_text("the name of the tool", Some(&view.tool))?;
    let key = view.call_id.to_string();
    let (call_id, session_id) = (view.call_id.uuid(), view.session_id.uuid());
    let (run_id, message_id) = (view.run_id.uuid(), view.message_id.uuid());
    let fixed: [&dyn ToSql; 9] = [
        call_id.as_bytes(),
        session_id.as_bytes(),
        run_id.as_bytes(),
        message_id.as_bytes(),
        &view.ordinal,
        &call.provider_id,
        &view.tool,
        &key,
        &view.created_at_ms,
    ];
    texts.with_values(call, |changing| {
        let values = [changing, &fixed].concat();
        insert(
            connection,
            INSERT,
            values.as_slice(),
            "the message has that call, or its run is gone",
        )
    })
}

pub(super) fn save(
    connection: &Connection,
    call: &CallRow,
    from: CallStatus,
    result_whole: Option<&str>,
) -> Result<(), Error> {
    let (call_id, to) = (call.view.call_id, call.view.status);
    if from != to && !from.may_become(to) {
        let text = format!("{call_id} from {} to {}", from.as_str(), to.as_str());
        tracing::error!(name: "store.call.illegal_move", %call_id, text);
        return Err(Error::IllegalMove(text));
    }
    let texts = Texts::of(call, result_whole)?;
    let (id, from) = (call_id.uuid(), from.as_str());
    let expected: [&dyn ToSql; 3] = [id.as_bytes(), &call.revision, &from];
    texts.with_values(call, |changing| {
        let values = [changing, &expected].concat();
        update_one(connection, UPDATE, values.as_slice(), "the call changed")
    })
}

/// What is stored in another form than it has.
struct Texts<'a> {
    argument_hash: [u8; 32],
    resources: String,
    detail: Option<String>,
    preview: Option<String>,
    result_whole: Option<&'a str>,
}

impl<'a> Texts<'a> {
    /// Everything that has a cap is held against it here.
    fn of(call: &CallRow, result_whole: Option<&'a str>) -> Result<Self, Error> {
        let view = &call.view;
        let proposed = view.proposed_arguments.as_ref().map_or(0, String::len);
        check_size("the arguments", view.arguments.len(), ARGUMENTS_BYTES)?;
        check_size("the proposed arguments", proposed, ARGUMENTS_BYTES)?;
        let result = view.result.as_ref().map_or(0, |result| result.text.len());
        check_size("the result", result, RESULT_BYTES)?;
        let whole = result_whole.map_or(0, str::len);
        check_size("the whole result", whole, WHOLE_BYTES)?;
        let preview = view.preview.as_ref();
        let preview = preview.map(|value| json("call", value)).transpose()?;
        let preview_bytes = preview.as_ref().map_or(0, String::len);
        check_size("the preview", preview_bytes, PREVIEW_BYTES)?;
        let detail = call.detail.as_ref();
        let detail = detail.map(|value| json("call", value)).transpose()?;
        check_text("what the tool noted", detail.as_deref())?;
        let resources = json("call", &call.resources)?;
        check_text("what the call touches", Some(&resources))?;
        let verdict = view.verdict.as_ref();
        check_text(
            "the verdict",
            verdict.map(|verdict| verdict.explanation.as_str()),
        )?;
        let doubt = view.doubt.as_ref();
        check_text("the doubt", doubt.map(|doubt| doubt.reason.as_str()))?;
        Ok(Self {
            argument_hash: blake3::hash(view.arguments.as_bytes()).into(),
            resources,
            detail,
            preview,
            result_whole,
        })
    }

    /// The values of what may change, in the order of the statements.
    fn with_values<T>(&self, call: &CallRow, then: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        let view = &call.view;
        let (verdict, doubt, result) = (
            view.verdict.as_ref(),
            view.doubt.as_ref(),
            view.result.as_ref(),
        );
        let class = result.and_then(|result| result.class);
        then(&[
            &call.tool_hash,
            &view.effect.as_str(),
            &view.status.as_str(),
            &verdict.map(|verdict| verdict.verdict.as_str()),
            &verdict
                .and_then(|verdict| verdict.rule_id)
                .map(|id| id.uuid().into_bytes()),
            &set(verdict.map(|verdict| verdict.explanation.as_str())),
            &call.digest,
            &self.argument_hash,
            &call.step_id.map(|id| id.uuid().into_bytes()),
            &result.map(|result| result.is_error),
            &class.map(protocol::ErrorClass::as_str),
            &result.map(|result| result.total_bytes),
            &doubt.map(|doubt| doubt.reason.as_str()),
            &doubt.is_some_and(|doubt| doubt.can_check),
            &doubt.map_or(0, |doubt| doubt.checks),
            &doubt.and_then(|doubt| doubt.next_check_at_ms),
            &view.bodies,
            &view.started_at_ms,
            &view.ended_at_ms,
            &self.resources,
            &self.detail,
            &view.arguments,
            &view.proposed_arguments,
            &self.preview,
            &result.map(|result| result.text.as_str()),
            &self.result_whole,
        ])
    }
}
