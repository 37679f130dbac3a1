/*
 * The steps that must not be interrupted, in Redis's own Lua. Under `base` (of one day, and of one slot of a cluster):
 *
 *   held         event id -> "nano-dollars|number|agent id"
 *   agent:{id}   the same, of one agent
 *   totals       "global" and agent ids -> nano-dollars, always the sum of what is held
 *   leases       event ids by the time at which they end, in milliseconds
 *   seq          the number of the latest reservation
 *
 * Amounts stay strings where they can: Lua writes large numbers with an exponent, which Redis does not read.
 */

const shared = `
local base = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function count(scope, amount, sign)
  if amount ~= '0' then redis.call('HINCRBY', base .. ':totals', scope, sign .. amount) end
end

local function drop(id)
  redis.call('ZREM', base .. ':leases', id)
  local held = redis.call('HGET', base .. ':held', id)
  if not held then return 0 end
  local amount, agent = string.match(held, '^(%d+)|%d+|(.+)$')
  redis.call('HDEL', base .. ':held', id)
  redis.call('HDEL', base .. ':agent:' .. agent, id)
  count('global', amount, '-')
  count(agent, amount, '-')
  return 1
end

local function hold(id, agent, amount, lease)
  local seq = redis.call('INCR', base .. ':seq')
  local value = amount .. '|' .. seq .. '|' .. agent
  redis.call('HSET', base .. ':held', id, value)
  redis.call('HSET', base .. ':agent:' .. agent, id, value)
  redis.call('ZADD', base .. ':leases', now + lease, id)
  count('global', amount, '')
  count(agent, amount, '')
  local twoDays = 2 * 86400 + 3600
  for _, key in ipairs({'held', 'totals', 'leases', 'seq', 'agent:' .. agent}) do
    redis.call('EXPIRE', base .. ':' .. key, twoDays)
  end
  return seq
end

local function purge()
  local ended = redis.call('ZRANGEBYSCORE', base .. ':leases', '-inf', now, 'LIMIT', 0, 1000)
  for _, id in ipairs(ended) do drop(id) end
  return #ended
end

local function total(scope)
  return tonumber(redis.call('HGET', base .. ':totals', scope) or '0')
end
`;

/** event id, agent id, amount, lease, requests per minute -> 1, number, earlier of the agent, earlier of all; or 0, seconds */
export const reserveScript = `${shared}
local id, agent, amount, lease, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
if limit > 0 then
  local used = 'agp:{budget}:minute:' .. math.floor(tonumber(time[1]) / 60) .. ':' .. agent
  if tonumber(redis.call('GET', used) or '0') >= limit then return {0, 60 - tonumber(time[1]) % 60} end
  redis.call('INCR', used)
  redis.call('EXPIRE', used, 120)
end
purge()
drop(id)
local ofAgent, ofAll = total(agent), total('global')
return {1, hold(id, agent, amount, lease), ofAgent, ofAll}
`;

/** event ids -> how many were held */
export const releaseScript = `${shared}
local released = 0
for _, id in ipairs(ARGV) do released = released + drop(id) end
return released
`;

/** lease, whether to put back what is missing, then event id, agent id and amount of each */
export const extendScript = `${shared}
local lease, restore = tonumber(ARGV[1]), ARGV[2] == '1'
for i = 3, #ARGV, 3 do
  local id = ARGV[i]
  if redis.call('HEXISTS', base .. ':held', id) == 1 then
    redis.call('ZADD', base .. ':leases', now + lease, id)
  elseif restore then
    hold(id, ARGV[i + 1], ARGV[i + 2], lease)
  end
end
return 0
`;

/** Drops some of what has outlived its lease -> how many */
export const purgeScript = `${shared}
return purge()
`;
