import type { Measurement } from '@agp/metering';
import { LRUCache } from 'lru-cache';
import { rememberedAliases } from '../limits.ts';

/** A name that is read for sure is no longer. */
const longestName = 256;

/** Of one name; the latest count. */
const mostAnswered = 5;

/** Which models answered to another name, so that a budget of these counts the next call by that name before it is sent. */
export class AnsweredModels {
  readonly #answered = new LRUCache<string, readonly string[]>({ max: rememberedAliases });

  note(
    provider: string,
    { requestedModel, answeredModel }: Pick<Measurement, 'requestedModel' | 'answeredModel'>,
  ): void {
    if (requestedModel === null || answeredModel === null || requestedModel === answeredModel) return;
    if (answeredModel.length > longestName) return;
    const key = toKey(provider, requestedModel);
    const known = this.#answered.get(key) ?? [];
    if (known[0] === answeredModel) return;
    this.#answered.set(key, [answeredModel, ...known.filter((each) => each !== answeredModel)].slice(0, mostAnswered));
  }

  find(provider: string, requestedModel: string): readonly string[] {
    return this.#answered.get(toKey(provider, requestedModel)) ?? [];
  }
}

const toKey = (provider: string, model: string) => `${provider} ${model.slice(0, longestName)}`;
