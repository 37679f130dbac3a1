import { parsePriceFile } from '@agp/catalogue';
import { createMetering } from '@agp/metering';
import { corpusPrices, type Exchange, type Json, loadCorpus } from '@agp/testing/corpus';
import { expect, test } from 'vitest';
import { measureExchange } from './measure-exchange.ts';

const prices = parsePriceFile(corpusPrices);
const metering = createMetering({ prices, isStrict: false, pii: null });

/** Members that hold what is billed. Of these all may be ignored within. */
const holders = /^(?:usage|usageMetadata|usage_info|billed_units|tool_usage)$/;
const ignored = /^(?:cost|cost_details|context_details)$/;

/** Each place among the figures of an answer, with its path in them. */
function* listPlaces(
  value: Json | undefined,
  path: string[] | null = null,
): Generator<[path: string[], place: Record<string, Json>]> {
  if (typeof value !== 'object' || value === null) return;
  if (path !== null && !Array.isArray(value)) yield [path, value];
  for (const [name, member] of Object.entries(value)) {
    if (path === null) yield* listPlaces(member, holders.test(name) ? [] : null);
    else if (!ignored.test(name)) yield* listPlaces(member, Array.isArray(value) ? path : [...path, name]);
  }
}

/** Cohere's chats bill what stands in one of two lists, and the other is not looked at. */
const told = loadCorpus().filter(
  ({ expected, operation }) =>
    operation !== 'cohere.chat' && expected?.source === 'provider' && expected.unread.length === 0,
);
/** One of each file. Of a stream the last frame with figures counts. */
const firsts = Object.values(Object.groupBy(told, ({ file }) => file)).flatMap((all = []) => all.slice(0, 1));

function findPlaces({ frames, array, unasked: _, ...answer }: NonNullable<Exchange['answer']>) {
  const last = (frames ?? array)?.findLast((frame) => [...listPlaces(frame)].length > 0);
  return [...listPlaces(last ?? (answer as Json))];
}

/** What no server sends today: numbers, also as text, that are no figure as well. */
const figures = [7, 0.5, 1e300, -1, '7', '0.5'] as const;

test.each(firsts.map((exchange) => [exchange.name, exchange] as const))(
  'any figure that is not understood is named, and no other: %s',
  async (_, exchange) => {
    const answer = structuredClone(exchange.answer as NonNullable<Exchange['answer']>);
    for (const [at, [path, place]] of findPlaces(answer).entries()) {
      place.unheard_of = figures[at % figures.length] as Json;
      const { unread } = await measureExchange(metering, { ...exchange, answer });
      expect(unread).toEqual([[...path, 'unheard_of'].join('.')]);
      delete place.unheard_of;
    }
  },
);
