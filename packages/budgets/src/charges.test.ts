import { expect, test } from 'vitest';
import { findCharges, prepareCounted } from './charges.ts';
import { budgetSchema } from './schema.ts';

const define = (over: object) => budgetSchema.parse({ name: 'b', amount: 1, window: 'total', ...over });

const call = {
  agentId: 'a',
  agent: 'bot',
  labels: { team: 'sales' },
  tag: 'default',
  provider: 'openai',
  sessionId: 's',
};
const hidden = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2';

const counts = (over: object, models: string[] | null) => {
  const row = { id: 'x', epoch: 1, budget: define(over), active: null, activeEpoch: null };
  return findCharges(prepareCounted(1, [row]), { ...call, models }, Date.now()).all.map(({ key }) => key);
};

test.each([
  [{}, ['gpt-4o'], ['']],
  [{ match: { models: ['gpt-4o'] } }, ['o3'], []],
  // What is not read may be any model; an alias and its version count as each other.
  [{ match: { models: ['gpt-4o'] } }, null, ['']],
  [{ match: { models: ['claude-sonnet-4-5-20250929'] } }, ['claude-sonnet-4-5'], ['']],
  [{ match: { models: ['gpt-4o'] } }, [hidden], ['']],
  [{ match: { models: ['gpt-4o'] } }, [hidden, 'o3'], []],
  [{ match: { models: ['gpt-4o'] } }, [`${hidden}#amazon.nova-lite-v1:0`], []],
  [{ match: { models: ['nova-lite'] } }, [`${hidden}#amazon.nova-lite-v1:0`], ['']],
  [{ match: { labels: { team: ['legal'] } } }, null, []],
  [{ split_by: 'label:team' }, null, ['sales']],
  [{ split_by: 'label:project' }, null, []],
])('%j of %j', (over, models, keys) => expect(counts(over, models)).toEqual(keys));

test.each([
  [{ unit: 'tokens', amount: 600_000.5 }, 'amount'],
  [{ amount: 1e-10 }, 'amount'],
  [{ split_by: 'label:note' }, 'split_by'],
  [{ match: { labels: { compliance_tag: ['pci'] } } }, 'match'],
  [{ split_by: 'session' }, 'window'],
  [{ zone: 'Europe/Berlin' }, 'zone'],
])('%j is refused by its member', (over, member) => {
  const { error } = budgetSchema.safeParse({ name: 'b', amount: 1, window: 'total', ...over });
  expect(error?.issues.map(({ path }) => path[0])).toEqual([member]);
});

test('what requests name is remembered within a bound of bytes, and found again', () => {
  const set = prepareCounted(1, [{ id: 'x', epoch: 1, budget: define({}), active: null, activeEpoch: null }]);
  for (let at = 0; at < 100; at += 1) {
    const models = Array.from({ length: 100 }, (_, own) => `${'x'.repeat(5_000)}-${at}-${own}`);
    const first = findCharges(set, { ...call, models }, 0);
    expect(findCharges(set, { ...call, models }, 0)).toBe(first);
  }
  expect([...set.known.keys()].join('').length).toBeLessThan(100 * 256);
});
