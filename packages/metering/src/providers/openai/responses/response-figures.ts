import { makeUsage } from '@agp/pricing';
import { asArray, asObject, asText, type JsonObject } from '../../../json/json-shapes.ts';
import type { ReportedCall } from '../../operation.ts';
import { sumCalls } from '../../sum-usage.ts';
import type { Figures } from '../describe-operation.ts';
import { readImageUsage, readSvgCall } from '../media/image-figures.ts';
import { readTokenUsage } from '../usage.ts';

/** The model that makes images where the tool's description names none (API reference, `tools[].model`). */
const defaultImageModel = 'gpt-image-2';

/** More than any response has images. */
const maxImages = 1_000;

/** Searches that are billed: the provider's own count, else those that searched; opening a page costs nothing. */
function countSearches({ tool_usage: tools, output }: JsonObject): unknown {
  const counted = asObject(asObject(tools).web_search).num_requests;
  if (typeof counted === 'number') return counted;
  return asArray(output).filter((value) => {
    const { type, status, action } = asObject(value);
    return type === 'web_search_call' && status !== 'failed' && (asObject(action).type ?? 'search') === 'search';
  }).length;
}

/** Images that a hosted tool made, by models of their own. */
function readImageCalls({ tool_usage: used, tools, output }: JsonObject): ReportedCall[] {
  const usage = readImageUsage(asObject(used).image_gen);
  const tool = asArray(tools).find((each) => asObject(each).type === 'image_generation');
  const model = asText(asObject(tool).model) ?? defaultImageModel;
  const made = usage && usage.promptTokens + usage.completionTokens > 0 ? [{ model, usage }] : [];
  const drawn = asArray(output).flatMap((item) => readSvgCall(asObject(item).svg_usage));
  return [...made, ...drawn.slice(0, maxImages)];
}

/**
 * The model's own usage with the web searches, and the usage of the models by which its tools made images. File searches and
 * code interpreter sessions are billed too, but no field reports them.
 */
export function readResponseFigures(body: unknown): Figures {
  const response = asObject(body);
  const tokens = readTokenUsage(response.usage);
  if (!tokens) return { usage: null };
  const usage = tokens.webSearches > 0 ? tokens : makeUsage({ ...tokens, webSearches: countSearches(response) });
  return sumCalls([{ model: asText(response.model), usage }, ...readImageCalls(response)]);
}
