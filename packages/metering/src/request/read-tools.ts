import { asArray, asName, asObject } from '../json/members.ts';
import { notBounded } from './not-bounded.ts';
import { readAmount } from './read-amount.ts';

/** The demand that tools add to a call. */
interface ToolDemand {
  /** Tools that the provider knows, and describes to the model in words of its own. */
  described: number;
  /** How often the provider may search the web; infinity without a bound in the tools. */
  uses: number;
}

/** Run by the agent; the provider only describes those of the second kind. */
const agentsOwn = /^(?:function|custom)$/;
const describedByProvider =
  /^(?:computer|computer_use_preview|bash|text_editor|memory|local_shell|shell|apply_patch)(?:_\d{8})?$/;

const webSearch = /^web_search(?:_preview)?(?:_\d{4}_?\d{2}_?\d{2})?$/;

/** Gemini's tools have no type: the name of a member says what each is. */
const ofGemini = new Set(['functionDeclarations', 'function_declarations']);

/**
 * Of the tools that the provider runs, answers report web searches alone: all others have no bound.
 *
 * @throws ApiError `cost_not_bounded`
 */
export function readTools(tools: unknown): ToolDemand {
  const demand: ToolDemand = { described: 0, uses: 0 };
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) throw notBounded('tools', 'is no list');
  for (const [index, given] of asArray(tools).entries()) {
    const tool = asObject(given);
    const { type } = tool;
    const field = `tools.${index}`;
    if (type === undefined || type === null) {
      const isOwn = 'input_schema' in tool || Object.keys(tool).every((key) => ofGemini.has(key));
      if (!isOwn) throw notBounded(field, 'is a tool that the provider runs, at an unknown cost');
      continue;
    }
    const name = asName(type);
    if (agentsOwn.test(name)) continue;
    if (describedByProvider.test(name)) {
      demand.described += 1;
      if (name.startsWith('shell') && tool.environment !== undefined)
        throw notBounded(field, 'may run at the provider');
      continue;
    }
    if (!webSearch.test(name)) throw notBounded(field, 'is a tool that the provider runs, at a cost that has no bound');
    // OpenAI's tools have no such member.
    const uses = /_\d{8}$/.test(name) ? readAmount(tool.max_uses) : null;
    if (uses && !uses.isWhole) throw notBounded(`${field}.max_uses`, 'must be a whole number from 0 on');
    demand.described += 1;
    demand.uses += uses?.value ?? Number.POSITIVE_INFINITY;
  }
  return demand;
}
