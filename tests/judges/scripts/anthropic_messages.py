"""The official Anthropic client reads our Messages."""

import anthropic

import told

# It adds the version by itself.
base = told.URL.removesuffix("/v1")
client = anthropic.Anthropic(base_url=base, api_key=told.KEY, max_retries=0)
tool = {
    "name": told.TOOL["name"],
    "description": told.TOOL["description"],
    "input_schema": told.TOOL["schema"],
}
messages = [{"role": "user", "content": [{"type": "text", "text": told.QUESTION}]}]
rounds = []
while True:
    one = told.Round()
    with client.messages.stream(
        model="scripted", max_tokens=100, messages=messages, tools=[tool]
    ) as stream:
        for event in stream:
            if event.type == "text":
                one.text += event.text
            elif event.type == "thinking":
                one.reasoning += event.thinking
        final = stream.get_final_message()
    for block in final.content:
        if block.type == "tool_use":
            one.call(block.id, block.name, block.input)
        elif block.type == "thinking":
            assert block.signature, block
    usage = final.usage
    cached = usage.cache_read_input_tokens
    one.cost(usage.input_tokens + (cached or 0), usage.output_tokens, cached)
    rounds.append(one)
    if not one.calls:
        assert final.stop_reason == "end_turn", final
        break
    assert final.stop_reason == "tool_use", final
    messages.append({"role": "assistant", "content": final.content})
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": told.RESULTS[call["id"]]}
        for call in one.calls
    ]
    messages.append({"role": "user", "content": results})

refused = anthropic.Anthropic(base_url=base, api_key="wrong", max_retries=0)
try:
    refused.messages.create(model="scripted", max_tokens=9, messages=messages[:1], stream=True)
    told.report(rounds, None)
except anthropic.APIStatusError as error:
    told.report(rounds, type(error).__name__)
