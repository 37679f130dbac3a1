import { type Exchange, loadCorpus } from '@agp/testing/corpus';
import type { FakeProvider } from '@agp/testing/providers';
import { expect } from 'vitest';
import { CorpusProvider, canSend, sendExchange } from '../../corpus/send-exchange.ts';
import type { System } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

const atOnce = 16;

const isTold = (exchange: Exchange) =>
  canSend(exchange) &&
  exchange.expected?.source === 'provider' &&
  exchange.ends === 'whole' &&
  ['openai', 'anthropic', 'gemini'].includes(exchange.request.provider);

/** Answers of the corpus over and over, in every way that providers tell what they bill: each is recorded to the nano-dollar. */
export async function recordToldBills(
  system: System,
  provider: FakeProvider,
  count: number,
  report: Report = unreported,
): Promise<void> {
  const told = loadCorpus().filter(isTold);
  const ofCorpus = new CorpusProvider();
  provider.handle(ofCorpus.answer);
  let billed = 0;
  const off: unknown[] = [];
  const left = Array.from({ length: count }, (_, index) => told[index % told.length] as Exchange).values();
  const work = async () => {
    for (const exchange of left) {
      const { recorded } = await sendExchange(system, ofCorpus, exchange);
      const nanoUsd = exchange.expected?.nanoUsd ?? Number.NaN;
      billed += nanoUsd;
      if (Math.round(Number(recorded.cost_usd) * 1e9) !== nanoUsd)
        off.push([exchange.name, recorded.cost_usd, nanoUsd]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(off).toEqual([]);
  report({ calls: count, answers: told.length, 'billed and recorded': `${(billed / 1e9).toFixed(9)} USD` });
}
