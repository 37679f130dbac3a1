import { z } from 'zod';
import type { Asked, Tool } from '../model/asked.ts';

const definition = z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() });
/** Chat completions have the definition within `function`, responses beside the type. */
const functionTool = z.union([z.looseObject({ type: z.literal('function'), function: definition }), definition]);
/** Tools that the provider runs, or that take free text, are accepted and never called. */
const otherTool = z.looseObject({ type: z.string().refine((type) => type !== 'function', 'must have a name') });
const choice = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  function: z.looseObject({ name: z.string() }).optional(),
  mode: z.enum(['auto', 'required']).optional(),
});

export const toolFields = {
  tools: z.array(z.union([functionTool, otherTool])).nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), choice]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

type ToolFields = z.infer<z.ZodObject<typeof toolFields>>;

function toTool(tool: NonNullable<ToolFields['tools']>[number]): Tool[] {
  if (tool.type !== 'function') return [];
  const found = definition.safeParse('function' in tool ? tool.function : tool);
  return found.success ? [{ name: found.data.name, schema: found.data.parameters ?? { type: 'object' } }] : [];
}

/** The tools of OpenAI's two APIs, and which of them is to be called. */
export function readTools({ tools, tool_choice: chosen, parallel_tool_calls: parallel }: ToolFields) {
  const name = typeof chosen === 'object' ? (chosen?.function?.name ?? chosen?.name) : undefined;
  const plain = typeof chosen === 'string' ? chosen : ((chosen?.mode ?? 'auto') as 'auto' | 'required');
  return {
    tools: (tools ?? []).flatMap(toTool),
    toolChoice: name === undefined ? plain : { name },
    parallel: parallel ?? true,
  } satisfies Partial<Asked>;
}
