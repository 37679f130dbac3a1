import type { UsageLimits } from '@agp/catalogue';
import { ApiError } from '@agp/core/errors';
import { type CallHead, listTiers, nameModel } from '../call-head.ts';
import type { MeteringParts } from '../metering-parts.ts';
import type { InspectedBody } from '../request/inspect-body.ts';
import { notBounded, type StrictDemand } from '../request/strict-demand.ts';

/** Vendors that enforce `max_completion_tokens`; others may not know it. */
const knowNewBound = new Set(['openai', 'azure', 'groq', 'x-ai', 'openrouter', 'cerebras']);

/** Anthropic's words on tools take up to 800 tokens, xAI's own about 700. */
const framingTokens = 1_024;

/** The same for each tool that the provider knows by name; Anthropic's computer takes 735, its editor 700. */
const toolTokens = 1_024;

/** A picture of a common size in the best quality takes 6,240, and a hundred for each preview. */
const pictureTokens = 16_384;

/** Counts of tokens are cut here: the cost is above any cap. */
const most = 1e12;

const looking = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** The most that a request may cost, in whole nano-dollars. @throws ApiError `cost_not_bounded`, naming the field */
export function boundReservation(parts: MeteringParts, head: CallHead, body: InspectedBody | null): number {
  const { operation } = head;
  const isLooking = looking.has(head.method) && !head.hasBody;
  if (isLooking) return 0;
  if (operation === null) throw notBounded('the path', 'is of no model call that is known');
  if (operation.isBilledLater) throw notBounded('a batch', 'costs an amount that only its results show');
  if (operation.isFree) return 0;
  const { strict = null, models = [] } = body ?? {};
  if (strict === null) throw notBounded('the body', 'is missing');
  if (strict instanceof ApiError) throw strict;
  return boundModels(parts, head, models, strict);
}

function boundModels(
  { findModelBounds }: MeteringParts,
  head: CallHead,
  models: readonly string[],
  demand: StrictDemand,
): number {
  const { writes } = demand;
  if (models.length === 0) throw notBounded('model', 'is missing');
  const tiers = listTiers(head, demand);
  const charges = models.map((model) => {
    const bounds = findModelBounds(nameModel(head, model));
    if (!bounds) throw notBounded('model', 'has no known price');
    for (const tier of tiers) {
      if (!bounds.hasTier(tier)) throw notBounded('the service tier', 'has no known price');
    }
    const vendor = bounds.vendor ?? '';
    const bound = demand.isBoundNew && !knowNewBound.has(vendor) ? null : demand.outputTokens;
    const written = (bound ?? Math.max(bounds.largestOutput, demand.leastOutputTokens)) + demand.thinkingTokens;
    const each = { text: written, speech: written, pictures: pictureTokens, nothing: 0 }[writes];
    const limits: UsageLimits = {
      inputTokens: Math.min(countInput(demand, bounds.largestInput), most),
      outputTokens: Math.min(demand.answers * each, most),
      inputCharacters: writes === 'speech' ? demand.inputBytes : 0,
      outputImages: writes === 'pictures' ? demand.answers : 0,
    };
    const charge = bounds.charge(limits, tiers);
    if (charge === null) throw notBounded('model', 'has no known price for all that this request may use');
    return charge;
  });
  return Math.max(...charges);
}

/** No input is larger than the model's context; each of several inputs has a context of its own. */
function countInput(demand: StrictDemand, largestInput: number): number {
  const sized = demand.inputBytes + framingTokens + demand.describedTools * toolTokens;
  if (demand.writes === 'nothing') return sized + demand.unsizedInputs * largestInput;
  return demand.unsizedInputs > 0 ? largestInput : sized;
}
