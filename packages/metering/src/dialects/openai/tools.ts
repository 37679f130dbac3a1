import type { EventTool } from '@agp/core/events';
import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { listObjects, nameServer, nameTool, UnreadTool } from '../named-tools.ts';

/** Those that the agent runs by a description of the provider's, by their types. */
const ranByClient = /^(?:computer|computer_use_preview|local_shell|shell|apply_patch)$/;

function readTool(tool: JsonObject, space: string): EventTool[] {
  const { type, function: called, custom, name, server_url: url, connector_id: connector, tunnel_id: tunnel } = tool;
  const own = asText(asObject(called).name) ?? asText(asObject(custom).name) ?? asText(name);
  if (type === undefined || type === null || type === 'function' || type === 'custom')
    return [nameTool('client', own && space + own, own)];
  if (type === 'namespace')
    return listObjects(tool.tools).flatMap((each) => readTool(each, `${space}${asName(name)}.`));
  if (type === 'mcp') {
    const places = [
      ...(url ? [nameServer(url)] : []),
      ...(connector ? [nameTool('connector', connector)] : []),
      ...(tunnel ? [nameTool('tunnel', tunnel)] : []),
    ];
    if (places.length === 0) throw new UnreadTool();
    return places;
  }
  const isOwn = ranByClient.test(asName(type)) && (type !== 'shell' || tool.environment === undefined);
  return [nameTool(isOwn ? 'client' : 'hosted', type)];
}

const bringsTools = new Set<unknown>(['additional_tools', 'tool_search_output']);

/** What a chat or a response offers its model. @throws UnreadTool */
export function readTools(body: JsonObject): EventTool[] {
  const { tools, functions, input, prompt, plugins, web_search_options: search, search_parameters: live } = body;
  // A prompt that is stored at the provider may bring tools of its own.
  if (asObject(prompt).id !== undefined) throw new UnreadTool();
  const brought = asArray(input)
    .map(asObject)
    .filter(({ type }) => bringsTools.has(type));
  const lists = [tools, ...brought.map((item) => item.tools)];
  return [
    ...lists.flatMap((list) => listObjects(list).flatMap((tool) => readTool(tool, ''))),
    ...listObjects(functions).map(({ name }) => nameTool('client', name)),
    ...listObjects(plugins).map(({ id }) => nameTool('hosted', id)),
    ...(search || (live && asObject(live).mode !== 'off') ? [nameTool('hosted', 'web_search')] : []),
  ];
}
