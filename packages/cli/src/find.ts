import { agentListSchema, eventListSchema, sessionListSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import type { z } from 'zod';
import { type Api, type ApiAnswer, writeQuery } from './api.ts';
import { CliError, UsageError } from './cli-error.ts';
import type { Shell } from './shell.ts';

/** The id of an agent that the user gave by id or name. */
export async function findAgentId(api: Api, nameOrId: string): Promise<string> {
  if (fromPublicId('agt', nameOrId) !== null) return nameOrId;
  const { data: agents } = await api.get('/api/v1/agents', agentListSchema);
  const id =
    agents.find(({ name }) => name === nameOrId)?.id ??
    pickId(
      'agt',
      nameOrId,
      agents.map((agent) => agent.id),
    );
  if (id === null)
    throw new CliError(
      `No agent is named ${toLineText(nameOrId)}; "agents list" shows all agents; an agent begins with its first request`,
    );
  return id;
}

export interface LabelOption {
  label?: string | undefined;
}

/** Agents may be chosen by a label, too. */
export function addLabel(command: Command): Command {
  return command.option('--label <label>', 'all agents that have it and are not retired, such as team=sales');
}

async function listLabelled(api: Api, label: string): Promise<string[]> {
  const { data } = await api.get('/api/v1/agents', agentListSchema, { label });
  const ids = data.filter(({ status }) => status !== 'retired').map(({ id }) => id);
  if (ids.length === 0) throw new CliError(`no agent has the label ${toLineText(label, 128)}`);
  return ids;
}

/** Changes agents, by name or id, one by one. Goes on after a failure, so that one wrong name keeps no other agent from being blocked. */
export async function changeEach(
  { api, terminal }: Shell,
  words: readonly string[],
  { label }: LabelOption,
  change: (agentId: string, word: string) => Promise<void>,
): Promise<void> {
  const agents = [...new Set([...words, ...(label === undefined ? [] : await listLabelled(api, label))])];
  if (agents.length === 0) throw new UsageError('name an agent, or several, or --label');
  let failed = 0;
  for (const agent of agents) {
    try {
      await change(await findAgentId(api, agent), agent);
    } catch (error) {
      if (agents.length === 1 || !(error instanceof CliError)) throw error;
      failed += 1;
      terminal.note(`${toLineText(agent)}: ${error.message}`);
    }
  }
  if (failed > 0) throw new CliError(`${failed} of ${agents.length} agents were not changed`);
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz';
/** Digits of an id, each of five bits; the time is in its first 48 bits of 128. */
const idLength = 26;

type Short = 'evt' | 'ses' | 'agt' | 'alr' | 'dlv';

/** The beginning of an id, or its two ends as tables show them; null for a whole id, and for anything else. */
function readShort(prefix: Short, text: string): { begin: string; end: string } | null {
  const [begin = '', end] = text.split(/…|\.\.\./, 2);
  if (!begin.startsWith(`${prefix}_`)) return null;
  if (end !== undefined) return { begin, end };
  return text.length < prefix.length + 1 + idLength ? { begin, end: '' } : null;
}

/** The one id that begins and ends so; null without one. Throws CliError if there are several. */
function pickId(prefix: Short, text: string, ids: readonly string[]): string | null {
  const short = readShort(prefix, text);
  if (short === null) return null;
  const fitting = ids.filter((id) => id.startsWith(short.begin) && id.endsWith(short.end));
  if (fitting.length < 2) return fitting[0] ?? null;
  const shown = fitting.slice(0, 3).join(', ');
  throw new CliError(`${toLineText(text, 64)} fits ${fitting.length} ids (${shown} ...): give more of it`);
}

/** The last that the API takes, of the year 9999, in milliseconds. */
const lastTime = 253_402_300_799_999;

/** Ids are looked through up to so many pages of a thousand. */
const mostPages = 5;

/** The whole id of the event that begins so; what was given, if no event does or it is no beginning. */
export async function findEventId(api: Api, text: string): Promise<string> {
  const begin = readShort('evt', text)?.begin.slice('evt_'.length);
  if (
    begin === undefined ||
    begin === '' ||
    begin.length > idLength ||
    [...begin].some((digit) => !digits.includes(digit))
  )
    return text;
  // Ids are made in the order of time, so ids with one beginning lie in one span.
  const value = [...begin].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n);
  const shift = BigInt(5 * (idLength - begin.length));
  const toTime = (id: bigint) => new Date(Math.min(Number(id >> 80n), lastTime)).toISOString();
  const [from, to] = [toTime(value << shift), toTime(((value + 1n) << shift) - 1n + (1n << 80n))];
  const ids: string[] = [];
  let next: string | null = writeQuery('/api/v1/events', { from, to, limit: 1000 });
  for (let page = 0; next !== null; page += 1) {
    if (page === mostPages) throw new CliError(`${toLineText(text, 64)} fits too many events: give more of it`);
    const answer: ApiAnswer<{ id: string }[]> = await api.get(next, eventListSchema);
    ids.push(...answer.data.map(({ id }) => id));
    next = answer.next;
  }
  return pickId('evt', text, ids) ?? text;
}

/** The same for a session, among the latest thousand; or by the name that its caller gave it, if one agent alone has such a session. */
export async function findSessionId(api: Api, text: string): Promise<string> {
  if (!text.startsWith('ses_')) {
    const { data } = await api.get('/api/v1/sessions', sessionListSchema, { name: text, limit: 3 });
    if (data.length < 2) return data[0]?.id ?? text;
    const shown = data.map(({ id, agent_name }) => `${id} (${toLineText(agent_name)})`).join(', ');
    throw new CliError(`several agents have a session ${toLineText(text, 64)}: name one of ${shown}`);
  }
  if (readShort('ses', text) === null) return text;
  const { data } = await api.get('/api/v1/sessions', sessionListSchema, { limit: 1000 });
  const ids = data.map(({ id }) => id);
  return ids.includes(text) ? text : (pickId('ses', text, ids) ?? text);
}

/** The whole id of what begins so, among the latest thousand of a list that are in this state; else what was given. */
export async function findListedId(
  { api }: Shell,
  prefix: 'alr' | 'dlv',
  { path, state, schema }: { path: string; state: string; schema: z.ZodType<{ id: string }[]> },
  text: string,
): Promise<string> {
  if (readShort(prefix, text) === null) return text;
  const { data } = await api.get(path, schema, { state, limit: 1_000 });
  const ids = data.map(({ id }) => id);
  return pickId(prefix, text, ids) ?? text;
}
