import type { EventTool } from '@agp/core/events';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { listObjects, nameServer, nameTool, UnreadTool } from '../named-tools.ts';

/** Names of members come in snake_case and in camelCase. */
const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An interaction's tools have a type; elsewhere the name of a member says what a tool is. */
function readTool(tool: JsonObject): EventTool[] {
  const { type, name, url } = tool;
  if (type === 'function') return [nameTool('client', name)];
  if (type === 'mcp_server') return [nameServer(url)];
  if (asText(type) !== null) return [nameTool(type === 'computer_use' ? 'client' : 'hosted', type)];
  return Object.entries(tool).flatMap(([member, value]) => {
    const kind = toSnake(member);
    if (kind === 'function_declarations')
      return listObjects(value).map((declared) => nameTool('client', declared.name));
    if (kind === 'mcp_servers') return listObjects(value).map(readServer);
    return [nameTool(kind === 'computer_use' ? 'client' : 'hosted', kind, member)];
  });
}

function readServer({ streamableHttpTransport, streamable_http_transport, url }: JsonObject): EventTool {
  return nameServer(asObject(streamableHttpTransport ?? streamable_http_transport).url ?? url);
}

/** What a request offers its model. @throws UnreadTool */
export function readTools(body: JsonObject): EventTool[] {
  // What is cached at the provider may bring tools of its own.
  if (body.cachedContent ?? body.cached_content) throw new UnreadTool();
  return listObjects(body.tools).flatMap(readTool);
}
