import { piiGroups } from '@agp/pii';
import {
  type AnswerFacts,
  type CallFacts,
  dataActions,
  ends,
  isEnforced,
  judgeAnswer,
  judgeBody,
  judgeHead,
  judgeUnread,
  mayEnd,
  type Policy,
  policySchema,
  prepareRules,
  puts,
  type RuleSet,
} from '@agp/policy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listChecking } from '../../services/proxy/src/policy/ask-checks.ts';
import { findDataRules } from '../../services/proxy/src/policy/data-rules.ts';
import { findRemedy } from '../../services/proxy/src/policy/judge.ts';

const models = ['gpt-5', 'gpt-5-mini', 'claude-opus-5'];
const tools = ['shell', 'search', 'read'];
const kinds = ['email', 'phone', 'credit_card', 'payment', 'contact', 'all', 'secrets'];
const some = <Value>(values: readonly Value[]) => fc.subarray([...values], { minLength: 1 });
const lists = (names: readonly string[]) =>
  fc.oneof(
    fc.record({ allow: some(names) }),
    fc.record({ deny: some(names) }),
    fc.record({ allow: some(names), deny: some(names) }),
  );
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const actions = fc.dictionary(fc.constantFrom(...kinds), fc.constantFrom(...dataActions), { minKeys: 1, maxKeys: 4 });

/** Any rules at all, of each member that a policy has. */
const anyPolicy = fc.record({
  mode: fc.constantFrom('observe', 'warn', 'enforce', 'enforce', 'enforce'),
  models: maybe(lists(models)),
  providers: maybe(lists(['openai', 'anthropic'])),
  operations: maybe(lists(['chat', 'images'])),
  limits: maybe(
    fc.record({
      max_output_tokens: fc.constantFrom(10, 100),
      max_input_bytes: maybe(fc.constantFrom(10, 100)),
      max_cost_usd: maybe(fc.constantFrom(0.1, 1)),
      over: fc.constantFrom('refuse', 'lower'),
    }),
  ),
  tools: maybe(
    fc.record({
      client: lists(tools),
      hosted: maybe(lists(tools)),
      on_declared: fc.constantFrom('refuse', 'strip'),
      on_call: fc.constantFrom('record', 'block'),
    }),
  ),
  pii: maybe(
    fc.record({
      request: maybe(actions),
      response: maybe(actions),
      replace_with: fc.constantFrom(...puts),
      restore: fc.boolean(),
    }),
  ),
  check: maybe(
    fc.record({ url: fc.constant('https://checks.example'), request: fc.boolean(), response: fc.constant(true) }),
  ),
  where: maybe(fc.record({ geo: maybe(some(['eu', 'us'])), store: fc.constant(false) })),
  require: maybe(fc.record({ guardrail: some(['abc', 'abc:DRAFT', 'def:2']) })),
  unreadable: fc.constantFrom('refuse', 'allow'),
  running: fc.constantFrom('finish', 'stop'),
});

const anyFacts = fc.record({
  provider: fc.constantFrom('openai', 'anthropic'),
  operations: fc.constantFrom(['chat.completions', 'chat'], ['images.edits', 'images'], null),
  models: fc.option(some(models)),
  tools: fc.option(
    fc.array(
      fc.record({ names: fc.constantFrom(...tools.map((name) => [name])), kind: fc.constantFrom('client', 'hosted') }),
    ),
  ),
  output_tokens: fc.constantFrom(null, 5, 50, 500),
  input_bytes: fc.constantFrom(null, 5, 50, 500),
  nano_usd: fc.constantFrom(null, 5e7, 5e8, 5e9),
  geo: fc.constantFrom('eu', 'us', null, undefined),
  stores: fc.constantFrom(true, false, null, undefined),
  guardrail: fc.constantFrom('abc:1', 'abc:DRAFT', 'def:1', true, false, null, undefined),
  found: fc.array(fc.record({ kind: fc.constantFrom(...piiGroups.all), count: fc.constant(1) }), { maxLength: 4 }),
  unsearched: fc.constantFrom(null, 'a picture'),
});

const toPolicies = (given: readonly object[], prefix: string): Policy[] =>
  given.flatMap((policy, at) => {
    const { success, data } = policySchema.safeParse({ name: `${prefix}${at}`, ...policy });
    return success ? [data] : [];
  });
const toRules = (policies: readonly Policy[]) =>
  prepareRules(
    1,
    policies.map((policy) => ({ version: 1, policy })),
  );

/** All that is seen of rules from outside, each as a set: what is in it is held back, or goes on as less. */
function observe(rules: RuleSet, { found, unsearched, ...given }: Record<string, unknown>) {
  const data = { found, unsearched };
  const facts = { agent: 'a', labels: {}, tag: 't', at: 0, data, checks: new Map(), ...given } as unknown as CallFacts;
  const answer = {
    ...facts,
    model: facts.models?.[0] ?? null,
    called: facts.tools ?? [],
    answer: { data, checks: new Map() },
  };
  const enforced = [...judgeHead(rules, facts), ...judgeBody(rules, facts)].filter(isEnforced);
  const remedied = enforced.map((finding) => ({ ...finding, action: findRemedy(finding) }));
  const ended = judgeAnswer(rules, answer as unknown as AnswerFacts).filter(ends);
  const name = ({ policy, rule }: { policy: Policy; rule: string }) => `${policy.name} ${rule}`;
  const seen = new Set([
    ...remedied.map((finding) => `${finding.action} ${name(finding)}`),
    ...remedied.filter(({ action }) => action === null).map(() => 'refused'),
    ...remedied
      .filter(({ action }) => action === null)
      .flatMap(({ policy }) => (policy.running === 'stop' ? ['stopped'] : [])),
    ...remedied.flatMap(({ denied = [] }) => denied.map((tool) => `denied ${JSON.stringify(tool)}`)),
    ...ended.map((finding) => `ended ${name(finding)}`),
    ...judgeUnread(rules, facts).map((finding) => `unread ${name(finding)}`),
    ...(mayEnd(rules, facts) ? ['may end'] : []),
  ]);
  let bound = Number.POSITIVE_INFINITY;
  for (const { action, policy } of remedied)
    if (action === 'lower') bound = Math.min(bound, policy.limits?.max_output_tokens ?? bound);
  const says = new Map<string, number[]>();
  for (const direction of ['request', 'response'] as const) {
    const of = findDataRules(rules, facts, direction, direction === 'response');
    if (of?.needsAll) seen.add(`needs all of ${direction}`);
    for (const { policy } of of ? listChecking(of.policies, facts, direction) : [])
      seen.add(`${direction} checked ${policy.name}`);
    for (const kind of piiGroups.all) {
      const { action, put, restores } = of?.decide(kind) ?? {};
      if (action === undefined) continue;
      const shows = action === 'redact' ? puts.indexOf(put ?? 'label') : -1;
      says.set(`${direction} ${kind}`, [
        dataActions.length - dataActions.indexOf(action),
        shows,
        Number(action === 'redact' && restores),
      ]);
    }
  }
  return { seen, bound, says };
}

test('a further policy, of whatever name, weakens nothing of what others hold back', () => {
  const policies = fc.array(anyPolicy, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(policies, policies, fc.boolean(), anyFacts, (of, more, isFirst, facts) => {
      const [own, others] = [toPolicies(of, 'm'), toPolicies(more, isFirst ? 'a' : 'z')];
      const alone = observe(toRules(own), facts);
      const both = observe(toRules(isFirst ? [...others, ...own] : [...own, ...others]), facts);
      expect([...both.seen]).toEqual(expect.arrayContaining([...alone.seen]));
      expect(both.bound).toBeLessThanOrEqual(alone.bound);
      for (const [name, [action = 0, shows = 0, restores = 0]] of alone.says) {
        const [otherAction = 9, otherShows = 9, otherRestores = 9] = both.says.get(name) ?? [];
        expect(otherAction, name).toBeLessThanOrEqual(action);
        // What is blocked by now shows nothing.
        if (otherAction < action) continue;
        expect(
          [otherShows, otherRestores].every((each, at) => each <= ([shows, restores][at] as number)),
          name,
        ).toBe(true);
      }
    }),
    { numRuns: 2_000, seed: 58 },
  );
});
