import type { EventTool } from '@agp/core/events';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { listObjects, listToolModels, nameServer, nameTool, nameTyped, UnreadTool } from '../named-tools.ts';

/** Those that the agent runs by a description of the provider's, by their types. */
const ranByClient = /^(computer|browser|bash|text_editor|memory)(?:_toolset)?_\d{8}$/;

function readTool({ type, name, mcp_server_name: server }: JsonObject, servers: ReadonlySet<unknown>): EventTool[] {
  if (type === undefined || type === null || type === 'custom') return [nameTool('client', name)];
  // Its server is listed by its address.
  if (type === 'mcp_toolset') {
    if (!servers.has(server)) throw new UnreadTool();
    return [];
  }
  const own = ranByClient.exec(asName(type))?.[1];
  if (own === undefined) return [nameTyped('hosted', type)];
  // Only the editor's name is not in its type.
  return [nameTyped('client', type, /^str_replace_/.test(asName(name)) && own === 'text_editor' ? name : own)];
}

const isReference = /^(?:tool|mcp_tool|mcp_toolset)_reference$/;

/** Tools that messages add, and those that a summary of earlier messages repeats. */
function listAdded(messages: unknown): JsonObject[] {
  return asArray(messages)
    .flatMap((message) => asArray(asObject(message).content))
    .map(asObject)
    .flatMap((block) => (block.type === 'compaction' ? asArray(block.tool_changes).map(asObject) : [block]))
    .filter(({ type }) => type === 'tool_addition')
    .map(({ tool }) => asObject(tool))
    .map((tool) => (tool.type === 'tool_definition' ? asObject(tool.definition) : tool))
    .filter(({ type }) => !isReference.test(asName(type)));
}

/** What a message offers its model, also within the conversation. @throws UnreadTool */
export function readTools({ tools, mcp_servers: given, messages, thread }: JsonObject): EventTool[] {
  // Messages that are stored at the provider may have added tools.
  if (thread && asObject(thread).type !== 'create') throw new UnreadTool();
  const servers = listObjects(given);
  const names = new Set(servers.map(({ name }) => name));
  return [
    ...servers.map(({ url }) => nameServer(url)),
    ...listObjects([...listObjects(tools), ...listAdded(messages)]).flatMap((tool) => readTool(tool, names)),
  ];
}

/** `fallbacks` may be left to the provider, or to a list; the adviser's tool has a model. */
export function listModels({ fallbacks, tools, messages }: JsonObject): (string | null)[] {
  const others =
    fallbacks === undefined || fallbacks === null || Array.isArray(fallbacks) ? asArray(fallbacks) : [null];
  return [
    ...others.map((each) => asText(asObject(each).model)),
    ...[...asArray(tools).map(asObject), ...listAdded(messages)].flatMap((tool) => listToolModels(tool)),
  ];
}
