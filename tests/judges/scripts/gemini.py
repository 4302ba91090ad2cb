"""The official Google client reads our Gemini."""

from google import genai
from google.genai import errors, types

import told

# It adds the version by itself.
options = {"base_url": told.URL.removesuffix("/v1beta"), "api_version": "v1beta"}
client = genai.Client(api_key=told.KEY, http_options=options)
declaration = types.FunctionDeclaration(
    name=told.TOOL["name"],
    description=told.TOOL["description"],
    parameters_json_schema=told.TOOL["schema"],
)
config = types.GenerateContentConfig(
    tools=[types.Tool(function_declarations=[declaration])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
contents = [types.Content(role="user", parts=[types.Part(text=told.QUESTION)])]
rounds = []
while True:
    one = told.Round()
    parts, usage, reason, signatures = [], None, None, 0
    stream = client.models.generate_content_stream(
        model="scripted", contents=contents, config=config
    )
    for event in stream:
        candidate = event.candidates[0]
        usage = event.usage_metadata or usage
        reason = candidate.finish_reason or reason
        for part in candidate.content.parts:
            signatures += bool(part.thought_signature)
            if part.function_call:
                call = part.function_call
                one.call(call.id, call.name, call.args)
            elif part.thought:
                one.reasoning += part.text
                continue
            else:
                one.text += part.text
            parts.append(part)
    assert reason == types.FinishReason.STOP, reason
    one.cost(
        usage.prompt_token_count, usage.candidates_token_count, usage.cached_content_token_count
    )
    rounds.append(one)
    if not one.calls:
        break
    assert signatures == 1, "the first call after a thought is signed"
    contents.append(types.Content(role="model", parts=parts))
    results = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call["id"], name=call["name"], response={"output": told.RESULTS[call["id"]]}
            )
        )
        for call in one.calls
    ]
    contents.append(types.Content(role="user", parts=results))

refused = genai.Client(api_key="wrong", http_options=options)
try:
    for _ in refused.models.generate_content_stream(model="scripted", contents=told.QUESTION):
        pass
    told.report(rounds, None)
except errors.ClientError as error:
    told.report(rounds, f"{type(error).__name__} {error.code}")
