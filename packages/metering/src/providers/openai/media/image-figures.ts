import { makeUsage, type Usage } from '@agp/pricing';
import { asObject, asText } from '../../../json/json-shapes.ts';
import type { ReportedCall } from '../../operation.ts';
import { sumCalls } from '../../sum-usage.ts';
import type { Figures } from '../describe-operation.ts';
import { readTokenUsage } from '../usage.ts';

/** Usage of an image model: its output is images unless details say that some is text. */
export function readImageUsage(value: unknown): Usage | null {
  const usage = readTokenUsage(value);
  if (!usage || asObject(value).output_tokens_details) return usage;
  return makeUsage({ ...usage, outputImageTokens: usage.completionTokens });
}

/** The model that wrote an SVG is billed apart from the one that drew it. */
export function readSvgCall(value: unknown): ReportedCall[] {
  const { model, reasoning_tokens: reasoningTokens } = asObject(value);
  const usage = readTokenUsage(value);
  return usage ? [{ model: asText(model), usage: makeUsage({ ...usage, reasoningTokens }) }] : [];
}

/** The figures of an answer with images, or of the last event of one image. DALL-E reports none. */
export function readImageFigures(body: unknown): Figures {
  const { model, usage: given, svg_usage: svg } = asObject(body);
  const usage = readImageUsage(given);
  return usage ? sumCalls([{ model: asText(model), usage }, ...readSvgCall(svg)]) : { usage };
}
