import type { Rule } from '@agp/alerts';
import { toCharge } from '@agp/budgets';
import type { AuditEntry } from '@agp/core/audit';
import { failingBound, roundUsd } from '@agp/core/explain';
import { parseJson } from '@agp/core/json';
import {
  type AlertRow,
  type Db,
  type DocumentRow,
  listAudit,
  listDocuments,
  readBlocks,
  readCapOf,
  readLatestOf,
} from '@agp/db';
import { definitionOf } from '../reads/budgets.ts';
import { failingColumns, recent } from './causes/failing.ts';
import { nameActor } from './causes/news.ts';
import { formatAmount } from './causes/used.ts';
import { moreSubject } from './settle.ts';

/** Alerts whose ends are looked into at once: of more only the time is told. */
const mostTold = 100;
/** How long before a block its cause was seen last, if it was the block that ended it, in milliseconds. */
const soonMs = 60_000;

/** An agent that is blocked is not looked at by these. */
const untilBlock = ['failing', 'surge'];

interface Known {
  at: Date;
  /** Read once for all alerts. */
  budgets: readonly DocumentRow<'budget'>[];
}

type Tell = (db: Db, alert: AlertRow, known: Known) => Promise<string | null>;

/** What ended alerts of a kind, if records say so. */
const byKind: Partial<Record<AlertRow['kind'], Tell>> = {
  async failing(db, { subject, seen_at }) {
    const [kind = '', key = ''] = splitOnce(subject);
    const column = failingColumns[kind as keyof typeof failingColumns];
    const [latest] = await readLatestOf(db, column, [key], seen_at, recent.requests);
    if (latest === undefined || latest.request_count === 0) return 'no request since';
    if (latest.failed_count >= failingBound.part * latest.request_count) return null;
    return kind === 'agent' ? 'its requests succeed again' : `the ${kind} answered again`;
  },
  async budget(_, { subject, window }, { at, budgets }) {
    const [id] = splitOnce(subject);
    const row = budgets.find((each) => each.id === id);
    if (row === undefined) return 'the budget was deleted';
    const [from = '', amount, unit] = window.split(' ');
    // Windows that move on have no such name.
    if (unit === undefined) return null;
    const { window: now, stored } = toCharge(definitionOf(row), '', at.getTime());
    if (now.from > Date.parse(from)) return `its ${stored.budget.window} is over`;
    if (stored.budget.unit === unit && stored.budget.amount > Number(amount))
      return `the budget was raised to ${formatAmount(stored.budget.amount, stored.budget.unit)}`;
    return tellPassed(subject);
  },
  async cap(db, { subject, window }, { at }) {
    const [day = '', most] = window.split(' ');
    if (day < at.toISOString().slice(0, 10)) return 'a new day began (UTC)';
    const cap = await readCapOf(db, subject.startsWith('all agents') ? null : (splitOnce(subject)[0] as string));
    if (cap === null) return 'the cap was taken away';
    if (cap > Number(most)) return `the cap was raised to ${roundUsd(cap)} USD`;
    return tellPassed(subject);
  },
  async change(db, { subject, agent_id: agentId, opened_at: from }) {
    const [member, was] = subject.startsWith('pause') ? (['paused', true] as const) : (['status', 'blocked'] as const);
    const of = agentId === null ? { actions: ['pause.set'] } : { agentId, actions: ['agent.update', 'agent.retire'] };
    const rows = await listAudit(db, { ...of, from }, { limit: 20, offset: 0 });
    const entries = rows.flatMap((row) => (row.sealed ? [parseJson(row.payload) as AuditEntry] : []));
    const end = entries.find(({ before, after }) => before?.[member] === was && after?.[member] !== was);
    return end ? `ended by ${nameActor(end)}` : null;
  },
};

/** The part that is passed, if it is what an alert tells. */
function percentOf(subject: string): number | null {
  const last = / (\d+(?:\.\d+)?)$/.exec(subject)?.[1];
  return last === undefined ? null : Number(last);
}

/** In a window in which no use goes back an alert of a higher part takes the place of a lower one. */
const tellPassed = (subject: string) => (percentOf(subject) === null ? null : 'more of it is used');

const splitOnce = (text: string): string[] => /^(\S+) ?(.*)$/s.exec(text)?.slice(1) ?? [];

/** What a rule does not ask for any more: a percent, or what may fail. */
function isUnasked(rule: Rule, { subject }: AlertRow): boolean {
  const percent = percentOf(subject);
  if ('at_percent' in rule && percent !== null) return !rule.at_percent.includes(percent);
  return rule.on === 'failing' && !(rule.of as string[]).includes(splitOnce(subject)[0] ?? '');
}

/** What ended alerts, in a phrase, by their ids: what is known for sure, and nothing of others. @throws Error of the database */
export async function tellEnds(
  db: Db,
  rule: Rule,
  over: readonly AlertRow[],
  at: Date,
): Promise<ReadonlyMap<string, string>> {
  const told = over.filter(({ subject }) => subject !== moreSubject).slice(0, mostTold);
  const stoppable = told.flatMap(({ kind, agent_id: id }) => (untilBlock.includes(kind) && id !== null ? [id] : []));
  const blocks = stoppable.length === 0 ? new Map<string, null>() : await readBlocks(db, stoppable);
  const known = { at, budgets: told.some(({ kind }) => kind === 'budget') ? await listDocuments(db, 'budget') : [] };
  const ends = new Map<string, string>();
  for (const alert of told) {
    const block = untilBlock.includes(alert.kind) ? blocks.get(alert.agent_id ?? '') : undefined;
    const isBlock = block && Date.parse(block.since) <= alert.seen_at.getTime() + soonMs;
    const phrase = isUnasked(rule, alert)
      ? 'its rule was changed'
      : isBlock
        ? `the agent was blocked by ${block.by}`
        : await byKind[alert.kind]?.(db, alert, known);
    if (phrase) ends.set(alert.id, phrase);
  }
  return ends;
}
