"""The official OpenAI client reads our Chat Completions."""

import openai

import told

client = openai.OpenAI(base_url=told.URL, api_key=told.KEY, max_retries=0)
tool = {
    "type": "function",
    "function": {
        "name": told.TOOL["name"],
        "description": told.TOOL["description"],
        "parameters": told.TOOL["schema"],
    },
}
messages = [{"role": "user", "content": told.QUESTION}]
rounds = []
while True:
    one = told.Round()
    with client.chat.completions.stream(
        model="scripted", messages=messages, tools=[tool], stream_options={"include_usage": True}
    ) as stream:
        for event in stream:
            if event.type == "chunk" and event.chunk.choices:
                delta = event.chunk.choices[0].delta
                one.reasoning += getattr(delta, "reasoning_content", None) or ""
            elif event.type == "content.delta":
                one.text += event.delta
        final = stream.get_final_completion()
    reply = final.choices[0].message
    assert (reply.content or "") == one.text, reply
    for call in reply.tool_calls or []:
        one.call(call.id, call.function.name, call.function.arguments)
    details = final.usage.prompt_tokens_details
    one.cost(
        final.usage.prompt_tokens,
        final.usage.completion_tokens,
        details.cached_tokens if details else None,
    )
    rounds.append(one)
    if not one.calls:
        assert final.choices[0].finish_reason == "stop", final
        break
    assert final.choices[0].finish_reason == "tool_calls", final
    messages.append(
        {
            "role": "assistant",
            "content": one.text,
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in reply.tool_calls
            ],
        }
    )
    for call in reply.tool_calls:
        result = told.RESULTS[call.id]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

refused = openai.OpenAI(base_url=told.URL, api_key="wrong", max_retries=0)
try:
    refused.chat.completions.create(model="scripted", messages=messages[:1], stream=True)
    told.report(rounds, None)
except openai.APIStatusError as error:
    told.report(rounds, type(error).__name__)
