"""The official OpenAI client reads our Responses, with the helper that demands every event."""

import openai

import told

client = openai.OpenAI(base_url=told.URL, api_key=told.KEY, max_retries=0)
tool = {
    "type": "function",
    "name": told.TOOL["name"],
    "description": told.TOOL["description"],
    "parameters": told.TOOL["schema"],
    "strict": False,
}
items = [{"role": "user", "content": [{"type": "input_text", "text": told.QUESTION}]}]
rounds = []
while True:
    one = told.Round()
    numbers = []
    with client.responses.stream(
        model="scripted",
        input=items,
        tools=[tool],
        store=False,
        include=["reasoning.encrypted_content"],
    ) as stream:
        for event in stream:
            numbers.append(event.sequence_number)
            if event.type == "response.output_text.delta":
                one.text += event.delta
            elif event.type == "response.reasoning_summary_text.delta":
                one.reasoning += event.delta
        final = stream.get_final_response()
    assert numbers == list(range(len(numbers))), numbers
    assert final.status == "completed", final
    assert final.output_text == one.text, final
    for item in final.output:
        if item.type == "function_call":
            one.call(item.call_id, item.name, item.arguments)
        elif item.type == "reasoning":
            assert item.encrypted_content, item
    details = final.usage.input_tokens_details
    one.cost(final.usage.input_tokens, final.usage.output_tokens, details.cached_tokens)
    rounds.append(one)
    if not one.calls:
        break
    for item in final.output:
        said = item.to_dict()
        said.pop("parsed_arguments", None)
        items.append(said)
    for call in one.calls:
        result = told.RESULTS[call["id"]]
        items.append({"type": "function_call_output", "call_id": call["id"], "output": result})

refused = openai.OpenAI(base_url=told.URL, api_key="wrong", max_retries=0)
try:
    refused.responses.create(model="scripted", input=items[:1], stream=True)
    told.report(rounds, None)
except openai.APIStatusError as error:
    told.report(rounds, type(error).__name__)
