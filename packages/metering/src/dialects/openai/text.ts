import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { reasoningEnd } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import type { Write } from '../../text/writing.ts';

export function readChat(body: unknown, write: Write): void {
  asArray(asObject(body).choices).forEach((item, at) => {
    const choice = asObject(item);
    const channel = asName(choice.index ?? at);
    const message = asObject(choice.message ?? choice.delta);
    const reasoning = readReasoning(message);
    if (reasoning !== '') write(`${channel}${reasoningEnd}`, reasoning);
    if (typeof message.content === 'string') write(channel, message.content);
    else for (const part of collectText(message.content).parts) write(channel, part);
    if (message.refusal) write(`${channel}.refusal`, asText(message.refusal) ?? '');
    if (message.audio) write(`${channel}.audio`, asText(asObject(message.audio).transcript) ?? '');
    asArray(message.tool_calls).forEach((call, index) => {
      const { index: named, function: called, custom } = asObject(call);
      writeCall(`${channel}.tool${asName(named ?? index)}`, called ?? custom, write);
    });
    if (message.function_call) writeCall(`${channel}.function`, message.function_call, write);
  });
}

/** Servers have names of their own for it, and mostly repeat parts in one string. */
function readReasoning({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject): string {
  const written = asText(content) ?? asText(reasoning);
  if (written !== null || !Array.isArray(details)) return written ?? '';
  return details.map((part) => asText(asObject(part).text) ?? asText(asObject(part).summary) ?? '').join('');
}

function writeCall(channel: string, called: unknown, write: Write): void {
  const { name, arguments: given, input } = asObject(called);
  write(`${channel}.name`, asText(name) ?? '');
  write(channel, asText(given) ?? asText(input) ?? '');
}

export function readCompletion(body: unknown, write: Write): void {
  asArray(asObject(body).choices).forEach((item, at) => {
    const choice = asObject(item);
    write(asName(choice.index ?? at), asText(choice.text) ?? '');
  });
}
