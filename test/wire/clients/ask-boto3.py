"""What an agent does with boto3, at a base URL of the proxy: each text on a line of JSON, as it comes; then what else was said."""

import json
import sys
import time

import boto3

how, url, model, prompt, schema = json.loads(sys.argv[1])
if how == "hurry":
    time.sleep = lambda seconds: None
bedrock = boto3.client("bedrock-runtime", endpoint_url=url, region_name="eu-central-1")
call = {"modelId": model, "messages": [{"role": "user", "content": [{"text": prompt}]}]}
if schema:
    call["toolConfig"] = {"tools": [{"toolSpec": schema}]}


def tell(said):
    print(json.dumps(said), flush=True)


if how == "stream":
    for event in bedrock.converse_stream(**call)["stream"]:
        if text := event.get("contentBlockDelta", {}).get("delta", {}).get("text"):
            tell(text)
else:
    answer = bedrock.converse(**call)
    for block in answer["output"]["message"]["content"]:
        tell(block.get("text") or block["toolUse"]["name"])
    tell(answer["usage"])
