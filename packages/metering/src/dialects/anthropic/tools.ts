import type { EventTool } from '@agp/core/events';
import { asArray, asName, asObject, type JsonObject } from '../../json/members.ts';
import { listObjects, nameServer, nameTool, UnreadTool } from '../named-tools.ts';

/** Those that the agent runs by a description of the provider's, by their types. */
const ranByClient = /^(?:computer|bash|text_editor|memory)_\d{8}$/;

function readTool({ type, name, mcp_server_name: server }: JsonObject, servers: ReadonlySet<unknown>): EventTool[] {
  if (type === undefined || type === null || type === 'custom') return [nameTool('client', name)];
  // Its server is listed by its address.
  if (type === 'mcp_toolset') {
    if (!servers.has(server)) throw new UnreadTool();
    return [];
  }
  return [nameTool(ranByClient.test(asName(type)) ? 'client' : 'hosted', name, type)];
}

/** What a message offers its model, also within the conversation. @throws UnreadTool */
export function readTools({ tools, mcp_servers: given, messages }: JsonObject): EventTool[] {
  const servers = listObjects(given);
  const names = new Set(servers.map(({ name }) => name));
  const added = asArray(messages)
    .flatMap((message) => asArray(asObject(message).content))
    .map(asObject)
    .filter(({ type }) => type === 'tool_addition')
    .map(({ tool }) => asObject(tool))
    .filter(({ type }) => !/_reference$|^mcp_toolset$/.test(asName(type)));
  return [
    ...servers.map(({ url }) => nameServer(url)),
    ...[...listObjects(tools), ...added].flatMap((tool) => readTool(tool, names)),
  ];
}
