import { hash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** What stands for values of a session's texts, such as `[email 1]`: one number for one value, over all proxies, while the session lasts. */
export interface SessionLabels {
  /**
   * Loads a session's labels, in one round trip.
   * @param options `reserve`: how many values of each kind {@link OpenLabels.numberOf} may number
   * @throws if Redis does not answer in time
   */
  open(sessionId: string, options: { keepsValues: boolean; reserve: number }): Promise<OpenLabels>;
}

export interface OpenLabels {
  /**
   * Numbers the values of a request, atomically over all proxies, in one round trip if any is new; none beyond the bounds.
   * @throws if Redis does not answer in time, or has lost the session's labels since they were opened
   */
  assign(values: readonly LabelledValue[]): Promise<void>;
  /**
   * The number of a value: the known one, or the next of those reserved; null if there is none left. Two answers at once may give one new
   * value two numbers, and never two values one.
   */
  numberOf(kind: string, value: string): number | null;
  /** What a label stands for, such as `email 1`; undefined if it is none of the session, or its value was not kept. */
  valueOf(label: string): string | undefined;
  /** Stores what {@link numberOf} gave, and gives the rest back if nobody took later ones. Never rejects. */
  close(): Promise<void>;
}

/** Kinds as labels show them, without spaces, of bounded length. */
export interface LabelledValue {
  kind: string;
  value: string;
}

/** Of a session: what an agent can make Redis hold. */
const maxValues = 1_000;
const maxLength = 512;

/*
 * One hash for each session:
 *
 *   id                a name of this hash: what was opened before Redis lost it, or it expired, changes nothing in its successor
 *   values            how many there are
 *   =<kind> <digest>  number, and with `keepsValues` ":value"
 *   +<kind>           the greatest number given or reserved; +* counts for the kinds that have none of their own yet
 *
 * A block is the same count of numbers of every kind. It is given back only while no greater number was taken: then the counter is still
 * the block's last.
 */
const script = `
local key = KEYS[1]
local step = cjson.decode(ARGV[3])
local id = redis.call('HGET', key, 'id')
if not id and step.opens then
  redis.call('HSET', key, 'id', ARGV[1])
elseif id ~= ARGV[1] and not step.opens then
  return redis.error_reply('ERR the labels of the session are gone')
end

local function greatest(kind)
  return tonumber(redis.call('HGET', key, '+' .. kind) or redis.call('HGET', key, '+*') or 0)
end

for _, block in ipairs(step.give or {}) do
  local now = greatest(block[1])
  redis.call('HSET', key, '+' .. block[1], now == block[2] and block[3] or now)
end

for _, label in ipairs(step.labels or {}) do
  local field, kind, suffix, number = label[1], label[2], label[3], label[4]
  local known = redis.call('HGET', key, field)
  if known then
    -- It was given without its value.
    if not string.find(known, ':', 1, true) then redis.call('HSET', key, field, known .. suffix) end
  elseif tonumber(redis.call('HGET', key, 'values') or 0) < ${maxValues} then
    redis.call('HINCRBY', key, 'values', 1)
    if not number then
      number = greatest(kind) + 1
      redis.call('HSET', key, '+' .. kind, number)
    end
    redis.call('HSET', key, field, string.format('%d', number) .. suffix)
  end
end

redis.call('PEXPIRE', key, ARGV[2])
if not step.reserve then return {} end
local held = redis.call('HGETALL', key)
redis.call('HINCRBY', key, '+*', step.reserve)
for index = 1, #held, 2 do
  local field = held[index]
  if string.sub(field, 1, 1) == '+' and field ~= '+*' then redis.call('HINCRBY', key, field, step.reserve) end
end
return held`;

interface Step {
  opens?: true;
  /** `*` comes last, since kinds without a counter take its. */
  give?: (readonly [kind: string, last: number, used: number])[];
  /** Without a number they get the next. */
  labels?: (readonly [field: string, kind: string, suffix: string, number?: number])[];
  /** Absent: nothing is loaded. */
  reserve?: number;
}

/** @param options `idleSeconds`: how long labels are kept after their last use */
export function createSessionLabels(redis: Redis, { idleSeconds }: { idleSeconds: number }): SessionLabels {
  redis.defineCommand('agpLabels', { numberOfKeys: 1, lua: script });
  const scripts = redis as unknown as { agpLabels(...args: (string | number)[]): Promise<string[]> };
  return {
    open(sessionId, options) {
      const key = `agp:session-labels:${sessionId}`;
      const run = (id: string, step: Step) => scripts.agpLabels(key, id, idleSeconds * 1_000, JSON.stringify(step));
      return openLabels(run, sessionId, options);
    },
  };
}

async function openLabels(
  run: (id: string, step: Step) => Promise<string[]>,
  sessionId: string,
  { keepsValues, reserve }: { keepsValues: boolean; reserve: number },
): Promise<OpenLabels> {
  let id: string = randomUUID();
  const numbers = new Map<string, number>();
  const values = new Map<string, string>();
  const blocks = new Map<string, { used: number; last: number }>();
  /** Numbered here, and not in Redis yet. */
  let fresh: NonNullable<Step['labels']> = [];

  const suffixOf = (value: string) => (keepsValues ? `:${value}` : '');
  /** Null for what is beyond the bounds. A digest of half a character would be that of another. */
  const nameField = (kind: string, value: string): string | null =>
    value.length > maxLength || !value.isWellFormed()
      ? null
      : `=${kind} ${hash('sha256', `${sessionId}\n${kind}\n${value}`, 'base64url').slice(0, 22)}`;
  const listBlocks = () =>
    reserve === 0
      ? []
      : [...blocks]
          .map(([kind, { used, last }]) => [kind, last, used] as const)
          .sort(([one], [other]) => Number(one === '*') - Number(other === '*'));
  const load = (held: readonly string[]) => {
    blocks.clear();
    blocks.set('*', { used: 0, last: reserve });
    for (let index = 0; index < held.length; index += 2) {
      const [field, text] = [held[index] as string, held[index + 1] as string];
      if (field === 'id') id = text;
      if (field.startsWith('+')) blocks.set(field.slice(1), { used: Number(text), last: Number(text) + reserve });
      if (!field.startsWith('=')) continue;
      const [, number, value] = /^(\d+)(?::(.*))?$/s.exec(text) ?? [];
      numbers.set(field, Number(number));
      if (value !== undefined) values.set(`${field.slice(1, field.lastIndexOf(' '))} ${number}`, value);
    }
  };

  load(await run(id, { opens: true, reserve }));
  return {
    async assign(asked) {
      const added: typeof fresh = [];
      for (const { kind, value } of asked) {
        const field = nameField(kind, value);
        if (field === null) continue;
        const number = numbers.get(field);
        if (number === undefined || (keepsValues && !values.has(`${kind} ${number}`)))
          added.push([field, kind, suffixOf(value)]);
      }
      if (added.length === 0) return;
      const labels = [...fresh, ...added.slice(0, maxValues)];
      load(await run(id, { give: listBlocks(), labels, reserve }));
      fresh = [];
    },
    numberOf(kind, value) {
      const field = nameField(kind, value);
      if (field === null) return null;
      const known = numbers.get(field);
      if (known !== undefined) return known;
      const block = blocks.get(kind) ?? { ...(blocks.get('*') ?? { used: 0, last: 0 }) };
      if (block.used >= block.last || numbers.size >= maxValues) return null;
      blocks.set(kind, block);
      const number = ++block.used;
      numbers.set(field, number);
      // What a model wrote first is nobody's to have back.
      fresh.push([field, kind, '', number]);
      return number;
    },
    valueOf: (label) => values.get(label),
    async close() {
      const give = listBlocks();
      // Given back twice they might be another's.
      blocks.clear();
      if (give.length > 0) await run(id, { give, labels: fresh }).catch(() => {});
    },
  };
}
