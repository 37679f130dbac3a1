import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder, type PiiType, piiTypes } from '@agp/pii';
import { expect, test } from 'vitest';
import { labelledSentences } from './labelled-sentences.ts';

const find = createPiiFinder({ personNames: createPersonNameDetector() });

/** The sentence without its labels, and what they say. */
function readLabels(sentence: string): { text: string; expected: string[] } {
  const expected: string[] = [];
  const text = sentence.replaceAll(/\[([a-z_]+)\|([^\]]+)\]/g, (_, type: string, value: string) => {
    expected.push(`${type}: ${value}`);
    return value;
  });
  return { text, expected };
}

test.each(labelledSentences.map((sentence) => [sentence]))('%s', (sentence) => {
  const { text, expected } = readLabels(sentence);
  expect(find(text).map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`)).toEqual(expected);
});

test('there are a hundred, and every type but secrets and the rarer national ids is among them', () => {
  expect(labelledSentences.length).toBeGreaterThanOrEqual(100);
  const types = new Set(
    labelledSentences.flatMap((one) => [...one.matchAll(/\[([a-z_]+)\|/g)].map(([, type]) => type)),
  );
  const secrets = [
    'api_key',
    'aws_key',
    'github_token',
    'jwt',
    'private_key',
    'credential_url',
    'password',
    'credential',
  ];
  const rare = ['au', 'bg', 'cl', 'ee', 'ie', 'jp', 'kr'].map((country) => `national_id_${country}`);
  const others = (Object.keys(piiTypes) as PiiType[]).filter((type) => ![...secrets, ...rare].includes(type));
  expect(others.filter((type) => !types.has(type))).toEqual([]);
});

test('names are reported only where they are asked for', () => {
  expect(createPiiFinder()('My name is Ana López')).toEqual([]);
});
