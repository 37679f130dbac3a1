import type { Redis } from 'ioredis';

/** What labels of named sessions stand for: what of a conversation no request brings again, since its provider keeps it. */
export interface SessionValues {
  /** Values by label. @throws if Redis does not answer in time */
  load(agentId: string, sessionId: string): Promise<Map<string, string>>;
  /**
   * Adds to them what there is room for: where the agent's is full its oldest sessions go, and never another agent's.
   * @throws if Redis does not answer in time
   */
  keep(agentId: string, sessionId: string, values: ReadonlyMap<string, string>): Promise<void>;
}

export interface SessionValuesOptions {
  /** How long they are kept after their last use. */
  keptSeconds?: number;
  /** Bytes as Redis takes them, roughly. */
  most?: { session: number; agent: number; all: number };
}

const maxValues = 1_000;
/** In UTF-16 units. */
const maxLength = 512;
const mebibyte = 1_048_576;
/** Caps of money are kept by the same Redis, which Compose gives 128 MB. */
const mostBytes = { session: mebibyte / 8, agent: 2 * mebibyte, all: 32 * mebibyte };
const daySeconds = 86_400;

/*
 * Keys under `base`:
 *
 *   of:<agent> <session>   label -> value
 *   used                   "<agent> <session>" by its last use, in milliseconds
 *   used:<agent>           the same sessions of one agent
 *   bytes                  "<agent> <session>", "<agent>" and "*" -> bytes, always the sum of what is held
 */
const shared = `
local base, agent, session = KEYS[1], ARGV[1], ARGV[2]
local own = agent .. ' ' .. session
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function count(of, bytes)
  local left = redis.call('HINCRBY', base .. ':bytes', of, string.format('%d', bytes))
  if left <= 0 then redis.call('HDEL', base .. ':bytes', of) end
  return left
end

local function bytesOf(name)
  return tonumber(redis.call('HGET', base .. ':bytes', name) or 0)
end

local function add(of, name, bytes)
  count(name, bytes)
  count(of, bytes)
  return count('*', bytes)
end

local function drop(of, name)
  local whole = of .. ' ' .. name
  redis.call('EXPIRE', base .. ':of:' .. whole, 0)
  redis.call('ZREM', base .. ':used', whole)
  redis.call('ZREM', base .. ':used:' .. of, name)
  add(of, whole, -bytesOf(whole))
end

local function touch()
  redis.call('ZADD', base .. ':used', now, own)
  redis.call('ZADD', base .. ':used:' .. agent, now, session)
end
`;

const load = `${shared}
local values = redis.call('HGETALL', base .. ':of:' .. own)
if #values > 0 then touch() end
return values`;

const keep = `${shared}
local labels, most = cjson.decode(ARGV[3]), cjson.decode(ARGV[4])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', base .. ':used', '-inf', now - most.age, 'LIMIT', 0, 100)) do
  drop(string.match(name, '^(%S+) (%S+)$'))
end

local function makeRoom(bytes)
  while bytesOf(agent) + bytes > most.agent or bytesOf('*') + bytes > most.all do
    local oldest
    for _, each in ipairs(redis.call('ZRANGEBYSCORE', base .. ':used:' .. agent, '-inf', '+inf', 'LIMIT', 0, 2)) do
      if each ~= session then oldest = oldest or each end
    end
    if not oldest then return false end
    drop(agent, oldest)
  end
  return true
end

local values = #redis.call('HGETALL', base .. ':of:' .. own) / 2
for _, label in ipairs(labels) do
  local bytes = #label[1] + #label[2] + 100
  local isNew = not redis.call('HGET', base .. ':of:' .. own, label[1])
  if isNew and values < most.values and bytesOf(own) + bytes <= most.session and makeRoom(bytes) then
    redis.call('HSET', base .. ':of:' .. own, label[1], label[2])
    add(agent, own, bytes)
    values = values + 1
  end
end
if values > 0 then touch() end`;

export function createSessionValues(
  redis: Redis,
  { keptSeconds = daySeconds, most = mostBytes }: SessionValuesOptions = {},
): SessionValues {
  redis.defineCommand('agpLoadValues', { numberOfKeys: 1, lua: load });
  redis.defineCommand('agpKeepValues', { numberOfKeys: 1, lua: keep });
  const scripts = redis as unknown as Record<
    'agpLoadValues' | 'agpKeepValues',
    (...args: string[]) => Promise<string[]>
  >;
  const base = 'agp:session-labels:{values}';
  const bounds = JSON.stringify({ ...most, values: maxValues, age: keptSeconds * 1_000 });
  return {
    async load(agentId, sessionId) {
      const held = await scripts.agpLoadValues(base, agentId, sessionId);
      const values = new Map<string, string>();
      for (let at = 0; at < held.length; at += 2) values.set(held[at] as string, held[at + 1] as string);
      return values;
    },
    async keep(agentId, sessionId, values) {
      // Half a character would come back as another.
      const kept = [...values].filter(([, value]) => value.length <= maxLength && value.isWellFormed());
      if (kept.length === 0) return;
      await scripts.agpKeepValues(base, agentId, sessionId, JSON.stringify(kept.slice(0, maxValues)), bounds);
    },
  };
}
