import { makeUsage, readCount } from '@agp/catalogue';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type ReportedCall, sumCalls } from '../operation.ts';
import type { Figures } from './describe-operation.ts';
import { readTokenUsage, readUsageFigures } from './usage.ts';

function findUsage(body: JsonObject): unknown {
  if (body.usage) return body.usage;
  const ofGroq = asObject(body.x_groq).usage;
  return (
    ofGroq ??
    asArray(body.choices)
      .map((choice) => asObject(choice).usage)
      .find(Boolean)
  );
}

/** They search once for every call, which OpenAI bills, by the price of the tool that they search with. */
const searchModel = /^gpt-[\w.-]+-search-(preview|api)/;

/** What Groq's systems ran: only these are billed by the call or hour. */
const billedTools: ReadonlyMap<unknown, 'webSearches' | 'codeExecutions'> = new Map([
  ...(['search', 'web_search', 'browser_search'] as const).map((type) => [type, 'webSearches'] as const),
  ...(['python', 'code_interpreter'] as const).map((type) => [type, 'codeExecutions'] as const),
]);

const maxTools = 1_000;

/** What tools are billed as, by their place: a stream tells them more than once. */
export type ExecutedTools = Map<number, 'webSearches' | 'codeExecutions'>;

function findExecutedTools({ choices }: JsonObject, found: ExecutedTools): void {
  for (const choice of asArray(choices)) {
    const { message, delta } = asObject(choice);
    for (const tool of asArray(asObject(message ?? delta).executed_tools)) {
      const { index, type } = asObject(tool);
      const billed = billedTools.get(type);
      if (billed && found.size < maxTools) found.set(readCount(index) ?? found.size, billed);
    }
  }
}

/** Systems of several models, as Groq's, bill each. */
function readParts({ usage_breakdown: breakdown, x_groq: ofGroq }: JsonObject): ReportedCall[] {
  const { models } = asObject(breakdown ?? asObject(ofGroq).usage_breakdown);
  return asArray(models)
    .slice(0, maxTools)
    .flatMap((part) => {
      const usage = readTokenUsage(asObject(part).usage);
      return usage ? [{ model: asText(asObject(part).model), usage }] : [];
    });
}

/** @param model that answered @param executed tools that earlier frames told */
export function readCompletionFigures(
  answer: JsonObject,
  model: unknown,
  executed: ExecutedTools = new Map(),
): Figures {
  const { usage, ...notes } = readUsageFigures(findUsage(answer));
  findExecutedTools(answer, executed);
  if (usage === null) return { usage, ...notes };
  const [first = { model: null, usage }, ...others] = readParts(answer);
  const [, kind] = searchModel.exec(asText(model) ?? '') ?? [];
  const tools = { webSearches: kind === 'api' ? 1 : 0, previewSearches: kind === 'preview' ? 1 : 0, codeExecutions: 0 };
  for (const name of executed.values()) tools[name] += 1;
  const ran = kind !== undefined || executed.size > 0;
  const call = ran ? { ...first, usage: makeUsage({ ...first.usage, ...tools }) } : first;
  return {
    ...(first.usage === usage ? { usage: call.usage } : { ...sumCalls([call, ...others]), calls: [call, ...others] }),
    ...notes,
  };
}
