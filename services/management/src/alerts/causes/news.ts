import type { Rule } from '@agp/alerts';
import type { AuditAction, AuditEntry } from '@agp/core/audit';
import { describeChange, formatCount } from '@agp/core/explain';
import { fromPublicId } from '@agp/core/ids';
import { parseJson } from '@agp/core/json';
import { readControl, type WatchedAgent } from '@agp/db';
import { agentPath, type Cause, type Finder, isFor, type Look, nameOf, searchPath } from './look.ts';

type Entry = AuditEntry & { seq: number };
type What = Rule<'change'>['of'][number];

interface Change {
  actions: readonly AuditAction[];
  /** Of the entries with these actions, which are it; all if absent. */
  isIt?(entry: Entry): boolean;
  /** What was done, between what it was done to and who did it. */
  done: string;
}

const became = (member: string, value: unknown) => (entry: Entry) =>
  entry.after?.[member] === value && entry.before?.[member] !== value;

/** Entries of the audit log that are told, by what a rule calls them. */
const changes: Record<What, Change> = {
  block: { actions: ['agent.update'], isIt: became('status', 'blocked'), done: 'was blocked' },
  unblock: {
    actions: ['agent.update'],
    isIt: (entry) => entry.before?.status === 'blocked' && entry.after?.status === 'active',
    done: 'was unblocked',
  },
  retire: { actions: ['agent.retire'], done: 'was retired' },
  pause: { actions: ['pause.set'], isIt: became('paused', true), done: 'were paused' },
  resume: { actions: ['pause.set'], isIt: became('paused', false), done: 'were resumed' },
  cap: {
    actions: [
      ...(['budget.global.set', 'budget.default.set', 'budget.agent.set'] as const),
      ...(['limit.default.set', 'limit.agent.set'] as const),
    ],
    done: 'was limited anew',
  },
  policy: { actions: ['policy.create', 'policy.update', 'policy.delete'], done: '' },
  budget: { actions: ['budget.create', 'budget.update', 'budget.delete'], done: '' },
  key: { actions: ['key.create', 'key.rotate', 'key.delete', 'agent_token.create', 'agent_token.delete'], done: '' },
};

export const toldActions = [...new Set(Object.values(changes).flatMap(({ actions }) => actions))];

const verbs: Record<string, string> = { create: 'was made', update: 'was changed', delete: 'was removed' };
const nouns: Record<string, string> = { key: 'API key', agent_token: 'token of agent' };

const nameIn = (state: AuditEntry['after'], noun: string) =>
  (state?.[noun] as { name?: unknown } | undefined)?.name ?? state?.name ?? state?.agent_name;

/** What an entry is about, in words. */
function nameSubject({ action, agent_id, before, after, target }: Entry, agent: WatchedAgent | undefined): string {
  if (agent_id !== null) return `agent ${agent?.name ?? agent_id}`;
  const [noun = ''] = action.split('.');
  if (noun === 'pause') return 'all agents';
  if (action.endsWith('.set')) return action.includes('default') ? 'every new agent' : 'all agents together';
  return `${nouns[noun] ?? noun} ${nameIn(after, noun) ?? nameIn(before, noun) ?? target}`;
}

export const nameActor = ({ actor }: Pick<AuditEntry, 'actor'>) =>
  actor.kind === 'api_key' ? `key ${actor.name}` : 'name' in actor ? actor.name : 'the time that was set';

const screens: Record<string, string> = { budget: '/budgets', limit: '/budgets', key: '/keys', agent_token: '/keys' };

function pathOf({ action, target }: Entry, agentId: string | null): string {
  const [noun = ''] = action.split('.');
  if (agentId !== null) return agentPath(agentId);
  if (noun === 'policy' && target !== null && action !== 'policy.delete') return `/policies/${target}`;
  return screens[noun] ?? (noun === 'pause' ? '/' : searchPath('/audit', { action }));
}

function tellChange(what: What, entry: Entry, agents: ReadonlyMap<string | null, WatchedAgent>): Cause<'change'> {
  const agentId = entry.agent_id && fromPublicId('agt', entry.agent_id);
  const done = changes[what].done || (verbs[entry.action.split('.').at(-1) ?? ''] ?? 'was rotated');
  const isState = what === 'block' || what === 'pause';
  return {
    subject: isState ? `${what} ${agentId ?? ''}` : `${what} ${entry.seq}`,
    window: `${entry.seq}`,
    path: pathOf(entry, agentId),
    agentId,
    facts: {
      title: `${nameSubject(entry, agents.get(agentId))} ${done} by ${nameActor(entry)}`,
      reason: entry.reason ?? null,
      change: isState ? '' : describeChange(entry, { arrow: ' → ', inWords: true }),
    },
    ...(!isState && { ends: 'notice' as const }),
  };
}

/** Blocks and pauses last until their end; all else is told once. */
export const changeFinder: Finder<'change'> = {
  everyMs: 0,
  isExact: () => true,
  // Each look takes a hundred entries of the log at most.
  most: Number.POSITIVE_INFINITY,
  async find(look, rule, open) {
    const entries = look.news.entries.map((payload) => parseJson(payload) as Entry);
    const ids = entries.map(({ agent_id }) => agent_id && fromPublicId('agt', agent_id));
    const agents = await look.agents([...ids, ...open.map(({ agent_id }) => agent_id)]);
    const lasts = async (subject: string, agentId: string | null) =>
      subject.startsWith('pause')
        ? (await look.once('control', () => readControl(look.db))).paused
        : agents.get(agentId)?.status === 'blocked';
    const found = new Map<string, Cause<'change'>>();
    for (const alert of open) {
      const { subject, window, title, path, agent_id: agentId } = alert;
      const isAsked = rule.of.some((what) => subject.startsWith(`${what} `));
      const isOfAll = subject.startsWith('pause');
      if (!isAsked || !(isOfAll || isFor(rule, { agent: agents.get(agentId) })) || !(await lasts(subject, agentId)))
        continue;
      found.set(subject, { subject, window, path, agentId, facts: { title, reason: alert.detail, change: '' } });
    }
    const over: Cause<'change'>[] = [];
    for (const entry of entries)
      for (const what of rule.of) {
        const { actions, isIt } = changes[what];
        if (!actions.includes(entry.action) || isIt?.(entry) === false) continue;
        const cause = tellChange(what, entry, agents);
        const isOfAll = cause.agentId === null && (what === 'pause' || what === 'resume');
        if (!isOfAll && !isFor(rule, { agent: agents.get(cause.agentId ?? null) })) continue;
        if (cause.ends === 'notice') over.push(cause);
        else {
          // Of several, the last one lasts.
          const earlier = found.get(cause.subject);
          if (earlier && !open.some(({ window }) => window === earlier.window)) over.push({ ...earlier, ends: 'over' });
          found.set(cause.subject, cause);
        }
      }
    for (const [subject, cause] of found)
      if (!(await lasts(subject, cause.agentId ?? null))) {
        found.delete(subject);
        over.push({ ...cause, ends: 'over' });
      }
    return [...over, ...found.values()];
  },
};

type Seen = Rule<'first_seen'>['of'][number];

/** Of one kind and agent, more than so many at once are one alert: an agent makes up as many names of tools as it likes. */
const mostAlone = 5;

function pathOfSeen(kind: string, name: string, agentId: string | null): string {
  if (kind === 'model' || kind === 'provider') return searchPath('/events', { [kind]: name });
  return agentId === null ? '/agents' : agentPath(agentId);
}

/** Each once, whoever used it first. */
export const seenFinder: Finder<'first_seen'> = {
  everyMs: 0,
  async find(look, rule) {
    const agents = await look.agents(look.news.seen.map(({ agent_id }) => agent_id));
    const asked = look.news.seen.filter(
      ({ kind, agent_id }) => rule.of.includes(kind as Seen) && isFor(rule, { agent: agents.get(agent_id) }),
    );
    const groups = Map.groupBy(asked, ({ kind, agent_id }) => (kind === 'agent' ? kind : `${kind} ${agent_id}`));
    const alone = [...groups].flatMap(([group, seen]) => {
      const isMany = seen.length > mostAlone;
      return seen.slice(0, isMany ? 1 : mostAlone).map(({ kind, name: key, agent_id: id }): Cause<'first_seen'> => {
        const isAgent = kind === 'agent';
        const agentId = isAgent && isMany ? null : id;
        const name = isAgent ? nameOf(agents.get(key), key) : key;
        const more = isMany ? ` and ${formatCount(seen.length - 1)} more` : '';
        const agent = isAgent || id === null ? null : nameOf(agents.get(id), id);
        return {
          ...(isMany ? { subject: `many ${group}` } : { subject: `${kind} ${key}`, window: 'first' }),
          ...{
            ends: 'notice',
            agentId,
            path: pathOfSeen(kind, key, agentId),
            facts: { what: kind, name: name + more, agent },
          },
        };
      });
    });
    return [...alone, ...tellFull(look, rule, agents)];
  },
};

/** What has no room for more names, of all agents or of one: what it uses first from then on is told to nobody. */
function tellFull(
  { news }: Look,
  rule: Rule<'first_seen'>,
  agents: ReadonlyMap<string | null, WatchedAgent>,
): Cause<'first_seen'>[] {
  return news.seen.flatMap(({ kind, name, agent_id: agentId }) => {
    const [of = ''] = name.split(' ', 1);
    const isAsked = kind === 'full' && rule.of.includes(of as Seen);
    if (!isAsked || !(agentId === null || isFor(rule, { agent: agents.get(agentId) }))) return [];
    const agent = agentId === null ? null : nameOf(agents.get(agentId), agentId);
    const path = pathOfSeen(kind, name, agentId);
    return [
      {
        subject: `full ${name}`,
        window: 'first',
        ends: 'notice',
        agentId,
        path,
        facts: { what: 'full', name: of, agent },
      },
    ];
  });
}
