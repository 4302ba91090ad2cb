"""The official Ollama client reads our Ollama."""

import ollama

import told

client = ollama.Client(host=told.URL, headers={"authorization": f"Bearer {told.KEY}"})
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
    called, last = [], None
    for last in client.chat(model="scripted", messages=messages, tools=[tool], stream=True):
        one.text += last.message.content or ""
        one.reasoning += last.message.thinking or ""
        called.extend(last.message.tool_calls or [])
    assert last.done and last.done_reason == "stop", last
    # This client does not read the ids that newer servers send.
    for number, call in enumerate(called, start=1):
        one.call(f"c{number}", call.function.name, dict(call.function.arguments))
    one.cost(last.prompt_eval_count, last.eval_count)
    rounds.append(one)
    if not one.calls:
        break
    messages.append({"role": "assistant", "content": one.text, "tool_calls": called})
    for call in one.calls:
        result = told.RESULTS[call["id"]]
        messages.append({"role": "tool", "tool_name": call["name"], "content": result})

refused = ollama.Client(host=told.URL)
try:
    for _ in refused.chat(model="scripted", messages=messages[:1], stream=True):
        pass
    told.report(rounds, None)
except ollama.ResponseError as error:
    told.report(rounds, f"{type(error).__name__} {error.status_code}")
