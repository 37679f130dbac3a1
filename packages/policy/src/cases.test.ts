import type { EventTool } from '@agp/core/events';
import { expect, test } from 'vitest';
import { type Case, type CaseCall, labelsOf, listCases, toFacts } from '../test/cases.ts';
import { finish } from '../test/steps.ts';
import { ends, isEnforced, judgeAnswer, judgeBody, judgeHead, judgeUnread, mayEnd, prepareRules } from './decide.ts';
import { Replay } from './replay.ts';

const cases = listCases();

test.each(cases)('$name', ({ parsed, calls }) => {
  const rules = prepareRules(
    1,
    parsed.map((policy) => ({ version: 1, policy })),
  );
  for (const call of calls) {
    const facts = toFacts(call);
    const findings = [...judgeHead(rules, facts), ...judgeBody(rules, facts)];
    const told = findings.map(
      ({ policy, rule, isUnread, exception }) =>
        `${policy.name} ${rule}${isUnread ? ' unread' : ''}${exception ? ' excepted' : ''}`,
    );
    expect(told, JSON.stringify(call)).toEqual(call.finds);
    if (call.why) expect(findings.map(({ reason }) => reason).join()).toContain(call.why);
    if (parsed.some(({ exceptions }) => exceptions)) {
      // What ends an answer is excepted as what refuses a request.
      const isJudged = findings.filter(isEnforced).some(({ rule }) => rule === 'models');
      expect(judgeAnswer(rules, { ...facts, model: 'm', called: [] }).map(ends)).toEqual([isJudged]);
      expect([mayEnd(rules, facts), judgeUnread(rules, facts).length]).toEqual([isJudged, isJudged ? 1 : 0]);
    }
  }
});

/** Replays judge by what has not ended now, and whatever ends a policy has. */
const isReplayed = ({ parsed }: Case, { at }: CaseCall) =>
  parsed.every(({ until, exceptions }) => until === undefined && (at === undefined || exceptions === undefined));

const replayed = cases
  .map((each) => ({ ...each, calls: each.calls.filter((call) => isReplayed(each, call)) }))
  .filter(({ calls }) => calls.length > 0);

test.each(replayed)('a replay of what was recorded: $name', (each) => {
  for (const call of each.calls) {
    const { agent: agent_name, tag, provider, at, operations, nano_usd, tools, labels: _, ...asked } = toFacts(call);
    const tried = finish(Replay.of(each.parsed, new Date()));
    const recorded = {
      ...{
        event_id: 'evt_1',
        session_id: 'ses_1',
        agent_id: 'agt_1',
        agent_name,
        labels: labelsOf(call),
        tag,
        provider,
      },
      ...{ timestamp: new Date(at).toISOString(), model: call.models?.[0] ?? 'unknown', decision: null },
      asked: { ...asked, operations: operations?.slice() ?? null, nano_usd: nano_usd ?? 0 },
      tools: { declared: tools as EventTool[] | null, called: [], more: 0 },
      pii: { types: [], findings: [], isFull: true },
    };
    finish(tried.add(recorded));
    const { by, cannot_tell, excepted } = finish(tried.end());
    const [plain, unread] = [/^\S+ \S+$/, / unread$/].map((kind) => call.finds.filter((rule) => kind.test(rule)));
    expect(by.rule.map(({ name }) => name).sort(), JSON.stringify(call)).toEqual(plain?.toSorted());
    if (plain?.length === 0) expect(cannot_tell.map(({ rule }) => `${rule} unread`).sort()).toEqual(unread?.toSorted());
    expect(excepted).toBe(call.finds.some((rule) => rule.endsWith(' excepted')) ? 1 : 0);
  }
});
