import type { FactsOf, KindName, MatchField, Rule, Severity, Shares } from '@agp/alerts';
import { tagOf } from '@agp/budgets';
import { toPublicId } from '@agp/core/ids';
import { chargedLabels } from '@agp/core/labels';
import { type AlertRow, type Db, readWatchedAgents, type WatchedAgent } from '@agp/db';
import { isModelListed, selects } from '@agp/documents';

/** Why an alert is there. */
export interface Cause<Name extends KindName = KindName> {
  /** What it is of, within its rule: of each there is one open alert. */
  subject: string;
  /** What is told once alone is told again in another window; absent if it is told whenever it comes. */
  window?: string;
  facts: FactsOf<Name>;
  /** The console's screen that shows it. */
  path: string;
  /** If it is worse than its rule says. */
  severity?: Severity;
  /** If it is of one agent alone. */
  agentId?: string | null;
  /** UUIDs of all agents that it is of, if they are several and known. */
  agentIds?: readonly string[];
  /** How many agents it is of, if not all are known. */
  reach?: number;
  /** A notice is never open; of what is over already the end is told too. */
  ends?: 'notice' | 'over';
}

export interface Finder<Name extends KindName> {
  /** How often it looks, in milliseconds; 0 is each time. */
  everyMs: number;
  /** Whether an alert is over as soon as its cause is, without the rule's quiet minutes. */
  isExact?(alert: AlertRow): boolean;
  /** Of one rule so many are open; 100 if not given. */
  most?: number;
  /**
   * @param open alerts of the rule that are not over
   * @param last when such causes were looked for last
   */
  find(look: Look, rule: Rule<Name>, open: readonly AlertRow[], last: Date): Promise<Cause<Name>[]>;
}

/** Entries of the audit log and names that nobody has told of yet. */
export interface News {
  entries: readonly string[];
  seen: readonly { kind: string; name: string; agent_id: string | null }[];
}

/** What one matches by; what is not known matches no rule that asks for it. */
type Facts = { [Name in Exclude<MatchField, 'agents' | 'labels'>]?: string } & { agent?: WatchedAgent | undefined };

interface Memory {
  value: Promise<unknown>;
  until: number;
}

/** What finders share while causes are looked for. */
export class Look {
  readonly db: Db;
  readonly at: Date;
  readonly news: News;
  readonly #memory: Map<string, Memory>;

  /** @param memory what is kept from look to look */
  constructor(db: Db, { at, news }: { at: Date; news: News }, memory: Map<string, Memory>) {
    this.db = db;
    this.at = at;
    this.news = news;
    this.#memory = memory;
    for (const [name, { until }] of memory) if (until <= at.getTime()) memory.delete(name);
  }

  ago(minutes: number): Date {
    return new Date(this.at.getTime() - minutes * 60_000);
  }

  /** The start of the hour before: sums by the hour then hold an hour or more. */
  get lastHour(): Date {
    return new Date((Math.floor(this.at.getTime() / 3_600_000) - 1) * 3_600_000);
  }

  /** Reads what several rules need once in a look, or in so many minutes. */
  once<Value>(name: string, read: () => Promise<Value>, minutes = 0): Promise<Value> {
    const known = this.#memory.get(name);
    if (known !== undefined) return known.value as Promise<Value>;
    const value = read();
    this.#memory.set(name, { value, until: this.at.getTime() + minutes * 60_000 });
    // A failure is not kept.
    value.catch(() => this.#memory.delete(name));
    return value;
  }

  /** Agents by their UUIDs, as far as they are known. */
  async agents(ids: readonly (string | null)[]): Promise<ReadonlyMap<string | null, WatchedAgent>> {
    const known = [...new Set(ids)].filter((id) => id !== null);
    return new Map(
      known.length === 0 ? [] : (await readWatchedAgents(this.db, known)).map((agent) => [agent.id, agent]),
    );
  }
}

const nobody = { agent: '', labels: {}, tag: '', provider: '' };

/** Whether a rule is for something: all that its scope names must be known of it, and match. */
export function isFor({ match }: { match: object }, { agent, tags, providers, models }: Facts): boolean {
  const { models: wanted, ...selector } = match as Parameters<typeof selects>[0] & { models?: string[] };
  if (agent === undefined && (selector.agents || selector.labels)) return false;
  const tag = tags ?? (agent && tagOf(agent.metadata));
  if ((selector.tags && tag === undefined) || (selector.providers && providers === undefined)) return false;
  if (wanted && (models === undefined || !isModelListed(wanted, models))) return false;
  const labels = chargedLabels(agent?.metadata ?? {}) ?? {};
  return selects(selector, { ...nobody, agent: agent?.name ?? '', labels, tag: tag ?? '', provider: providers ?? '' });
}

export const agentPath = (id: string) => `/agents/${toPublicId('agt', id)}`;

/** @param screen such as `/events` */
export const searchPath = (screen: string, search: Record<string, string>) =>
  `${screen}?${new URLSearchParams(search)}`;

export const nameOf = (agent: WatchedAgent | undefined, id: string) => agent?.name ?? toPublicId('agt', id);

/** Agents that are named in what is told of many. */
export const mostNamed = 3;

export interface Counted {
  agent_id: string;
  count: number;
}

/** How a number is shared out among agents. */
export function sharesOf(rows: readonly Counted[], agents: ReadonlyMap<string | null, WatchedAgent>): Shares {
  const parts = [...Map.groupBy(rows, ({ agent_id }) => agent_id)]
    .map(([id, of]) => ({ name: nameOf(agents.get(id), id), count: of.reduce((sum, { count }) => sum + count, 0) }))
    .toSorted((one, other) => other.count - one.count);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return { count, agents: parts.length, most: parts.slice(0, mostNamed) };
}
