import { expect, test } from 'vitest';
import type { z } from 'zod';
import { finish, Reads } from '../test/steps.ts';
import { findContradictions } from './contradictions.ts';
import { policySchema } from './schema.ts';

type Given = Omit<z.input<typeof policySchema>, 'name'>;

const find = (...given: Given[]) =>
  finish(findContradictions(given.map((policy, index) => policySchema.parse({ name: `p${index}`, ...policy }))));

test.each<[Given, string[]]>([
  [{ models: { allow: ['gpt-5', 'o3'], deny: ['gpt-*'] } }, ['p0: models allows and denies gpt-5, which denies it']],
  [{ models: { allow: ['gpt-*'], deny: ['gpt-5'] } }, []],
  [
    { tools: { client: { allow: ['mcp__*__read'], deny: ['mcp__*'] } } },
    ['p0: tools.client allows and denies mcp__*__read, which denies it'],
  ],
])('%j contradicts itself: %j', (policy, expected) => {
  expect(find(policy)).toEqual(expected);
});

const mini: Given = { models: { allow: ['gpt-5-mini'] } };
const opus: Given = { models: { allow: ['claude-opus-*'] } };
const at = (allow: string, zone = 'UTC'): Given => ({ hours: { allow, zone } });

test.each<[Given, Given, string | null]>([
  [mini, opus, 'models'],
  [mini, { models: { allow: ['GPT-*'] } }, null],
  [mini, { models: { deny: ['gpt-*'] } }, 'models'],
  [{ models: { deny: ['gpt-5*', 'o3'] } }, mini, 'models'],
  [{ models: { deny: ['*'] } }, mini, null],
  [{ models: { allow: [] } }, mini, null],
  [mini, { models: { deny: ['claude-*'] } }, null],
  [{ providers: { allow: ['openai'] } }, { providers: { allow: ['groq'] } }, 'providers'],
  [{ where: { geo: ['eu'] } }, { where: { geo: ['us', 'ca'] } }, 'where.geo'],
  [{ where: { geo: ['eu', 'ch'] } }, { where: { geo: ['ch'] } }, null],
  // Both are names of one operation.
  [{ operations: { allow: ['chat'] } }, { operations: { allow: ['chat.completions'] } }, null],
  [{ operations: { allow: ['chat'] } }, { operations: { deny: ['chat'] } }, 'operations'],
  [at('Mon-Fri 08:00-18:00'), at('Sat 09:00-12:00'), 'hours'],
  [at('Sun 22:00-06:00'), at('Mon 05:00-07:00'), null],
  [at('Mon 08:00-09:00'), at('Mon 09:00-10:00', 'Europe/Berlin'), null],
])('%j and %j let nothing pass together: %s', (one, other, rule) => {
  const expected = rule === null ? [] : [`p0 and p1: where both match, their ${rule} let nothing pass`];
  expect(find(one, other)).toEqual(expected);
});

test.each<[Given['match'], Given['match'], boolean]>([
  [{ agents: ['a*'] }, { agents: ['ab'] }, true],
  [{ agents: ['a*'] }, { agents: ['b'] }, false],
  [{ agents: ['a'] }, { tags: ['bank'] }, true],
  [{ labels: { team: ['x', 'y'] } }, { labels: { team: ['y'] } }, true],
  [{ labels: { team: ['x'] } }, { labels: { team: ['y'] } }, false],
  [{ labels: { team: ['x'] } }, { labels: { site: ['y'] } }, true],
  [{ not: { labels: { team: ['x'] } } }, { labels: { team: ['x'] } }, false],
  [{ not: { labels: { team: ['x'] } } }, { labels: { team: ['x', 'y'] } }, true],
  [{ agents: ['build-1'], tags: ['t'] }, { not: { agents: ['build-*'] } }, false],
  [{ agents: ['build-1'] }, { not: { agents: ['build-*'], tags: ['t'] } }, true],
])('calls that match %j may match %j: %s', (one, other, meet) => {
  expect(find({ match: one, ...mini }, { match: other, ...opus })).toHaveLength(meet ? 1 : 0);
});

test('what two policies cost to compare grows as their lists do', () => {
  const read = (size: number) => {
    const reads = new Reads();
    const names = (own: string) => reads.of(Array.from({ length: size }, (_, index) => `${own}-${index}`));
    const policies = ['a', 'b'].map((own) => ({
      ...policySchema.parse({ name: own }),
      match: { agents: names('same'), labels: { team: names('same') }, not: { agents: names(own), tags: names(own) } },
      models: { allow: names(own), deny: names('x') },
      tools: { client: { allow: names(own), deny: names('x') }, on_declared: 'refuse', on_call: 'block' } as const,
    }));
    expect(finish(findContradictions(policies))).toHaveLength(1);
    return reads.count;
  };
  expect(read(2_000)).toBeLessThan(2.1 * read(1_000));
});

test('no more contradictions are told than anybody reads, and that there are more', () => {
  const found = find(...Array.from({ length: 20 }, (_, index): Given => ({ models: { allow: [`m${index}`] } })));
  expect([found.length, found.at(-1)]).toEqual([101, 'more than 100: no others are listed']);
});
