/*
 * The atomic steps, in Redis' Lua. Keys under `base` (one day, one slot of a cluster):
 *
 *   held         event id -> "nano-dollars|number|agent id"
 *   agent:{id}   the same, of one agent
 *   totals       "global" and agent ids -> nano-dollars, always the sum of what is held
 *   leases       event ids of requests that are not forwarded yet, by the time at which they end, in milliseconds
 *   forwarded    the same for requests that are forwarded: only a release ends these
 *   requests     event id -> "session id|provider id|model" of forwarded requests
 *   charges      event id -> "tokens|scopes of budgets in USD;in tokens;in requests", scopes between commas
 *   budgets      scopes -> nano-dollars, tokens or requests, always the sum of what is held
 *   seq          the number of the latest reservation
 *
 * And of all days together:
 *
 *   since        "the server's run id|milliseconds": since when this server has lost nothing that can be seen
 *
 * Amounts stay strings if they can: Lua writes large numbers with an exponent, which Redis does not read.
 */

/** Keys expire this long after their last use, in seconds: writers may be down, or without Redis, for a week. */
const keepSeconds = 8 * 86_400;

const shared = `
local base = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- Daily caps are counted in totals, budgets in budgets, by their units; a budget that nothing is held of has no entry
local function count(agent, amount, charges, sign)
  local tokens, usd, inTokens, inRequests = string.match(charges or '', '^(%d+)|([^;]*);([^;]*);(.*)$')
  local rows = {{'totals', 'global,' .. agent, amount}}
  if tokens then rows = {rows[1], {'budgets', usd, amount}, {'budgets', inTokens, tokens}, {'budgets', inRequests, '1'}} end
  for _, row in ipairs(rows) do
    local key, scopes, steps = base .. ':' .. row[1], row[2], row[3]
    for scope in string.gmatch(steps == '0' and '' or scopes, '[^,]+') do
      local sum = redis.call('HINCRBY', key, scope, sign .. steps)
      if sum == 0 and row[1] == 'budgets' then redis.call('HDEL', key, scope) end
    end
  end
end

-- Once for each key: a script may add many entries
local kept = {}
local function keep(key)
  if kept[key] then return end
  kept[key] = true
  redis.call('EXPIRE', base .. ':' .. key, ${keepSeconds})
end

local function drop(id)
  redis.call('ZREM', base .. ':leases', id)
  redis.call('ZREM', base .. ':forwarded', id)
  redis.call('HDEL', base .. ':requests', id)
  local held = redis.call('HGET', base .. ':held', id)
  if not held then return 0 end
  redis.call('HDEL', base .. ':held', id)
  local amount, agent = string.match(held, '^(%d+)|%d+|(.+)$')
  if agent then
    redis.call('HDEL', base .. ':agent:' .. agent, id)
    count(agent, amount, redis.call('HGET', base .. ':charges', id), '-')
  end
  redis.call('HDEL', base .. ':charges', id)
  return 1
end

local function hold(id, agent, amount, charges)
  local seq = redis.call('INCR', base .. ':seq')
  local value = amount .. '|' .. seq .. '|' .. agent
  redis.call('HSET', base .. ':held', id, value)
  redis.call('HSET', base .. ':agent:' .. agent, id, value)
  count(agent, amount, charges, '')
  for _, key in ipairs({'held', 'totals', 'seq', 'agent:' .. agent}) do keep(key) end
  if charges ~= '' then
    redis.call('HSET', base .. ':charges', id, charges)
    for _, key in ipairs({'charges', 'budgets'}) do keep(key) end
  end
  return seq
end

-- The amount may be another by now: what the call is known to cost
local function amend(id, held, amount, charges)
  local before, seq, agent = string.match(held, '^(%d+)|(%d+)|(.+)$')
  local charged = redis.call('HGET', base .. ':charges', id) or ''
  if not agent or (before == amount and charged == charges) then return end
  -- A full Redis refuses a script whose first write takes memory: this one gives some back
  redis.call('HDEL', base .. ':charges', id)
  count(agent, before, charged, '-')
  if charges ~= '' then redis.call('HSET', base .. ':charges', id, charges) end
  count(agent, amount, charges, '')
  local value = amount .. '|' .. seq .. '|' .. agent
  redis.call('HSET', base .. ':held', id, value)
  redis.call('HSET', base .. ':agent:' .. agent, id, value)
end

local function lease(id, milliseconds, request)
  local key = 'leases'
  if request ~= '' then
    key = 'forwarded'
    redis.call('ZREM', base .. ':leases', id)
    redis.call('HSET', base .. ':requests', id, request)
    keep('requests')
  end
  redis.call('ZADD', base .. ':' .. key, now + milliseconds, id)
  keep(key)
end

local function purge()
  local ended = redis.call('ZRANGEBYSCORE', base .. ':leases', '-inf', now, 'LIMIT', 0, 1000)
  for _, id in ipairs(ended) do drop(id) end
  return #ended
end

-- Counts a request against its agent's minute -> seconds until the next, where the limit was reached before; else nil
local function overLimit(agent, limit)
  local used = 'agp:{budget}:minute:' .. math.floor(tonumber(time[1]) / 60) .. ':' .. agent
  if tonumber(redis.call('GET', used) or '0') >= limit then return 60 - tonumber(time[1]) % 60 end
  redis.call('INCR', used)
  redis.call('EXPIRE', used, 120)
  return nil
end

-- How long this server has lost nothing: a flush or an eviction takes the key along, a restart or a promotion changes the run id
local sinceKey = 'agp:{budget}:since'
local function wholeFor(run)
  local known, since = string.match(redis.call('GET', sinceKey) or '', '^(%w*)|(%d+)$')
  since = tonumber(since or '')
  if not since or since > now or (run and known ~= run) then
    redis.call('SET', sinceKey, (run or '') .. '|' .. string.format('%.0f', now))
    since = now
  end
  return since, now - since
end
`;

/**
 * event id, agent id, amount, lease, requests per minute, charges, days between commas -> 1, number, ms since the last loss, what is held
 * before it of agent, of all, and of each scope on those days, between commas; or 0, seconds
 */
export const reserveScript = `${shared}
local id, agent, amount, milliseconds, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
if limit > 0 then
  local seconds = overLimit(agent, limit)
  if seconds then return {0, seconds} end
end
purge()
drop(id)
local earlier = {}
local function add(key, scopes, before)
  for at, sum in ipairs(redis.call('HMGET', key, unpack(scopes))) do
    earlier[before + at] = (earlier[before + at] or 0) + tonumber(sum or '0')
  end
end
add(base .. ':totals', {agent, 'global'}, 0)
if ARGV[6] ~= '' then
  local scopes = {}
  for scope in string.gmatch(string.match(ARGV[6], '|(.*)$'), '[^,;]+') do scopes[#scopes + 1] = scope end
  for day in string.gmatch(ARGV[7], '[^,]+') do add('agp:{budget}:' .. day .. ':budgets', scopes, 2) end
end
for at, sum in ipairs(earlier) do earlier[at] = string.format('%.0f', sum) end
local seq = hold(id, agent, amount, ARGV[6])
lease(id, milliseconds, '')
local _, whole = wholeFor(nil)
return {1, seq, whole, table.concat(earlier, ',')}
`;

/** the server's run id -> the time of its last loss, and milliseconds since */
export const lookScript = `${shared}
return {wholeFor(ARGV[1])}
`;

/** agent id, requests per minute -> 0 if one more was counted, else seconds until there is room */
export const countScript = `${shared}
return overLimit(ARGV[1], tonumber(ARGV[2])) or 0
`;

/** event ids -> how many were held */
export const releaseScript = `${shared}
local released = 0
for _, id in ipairs(ARGV) do released = released + drop(id) end
return released
`;

/** lease, whether to put back what is missing, then event id, agent id, amount and charges as they are now, and request of each; "" is not forwarded yet */
export const extendScript = `${shared}
local milliseconds, restore = tonumber(ARGV[1]), ARGV[2] == '1'
for i = 3, #ARGV, 5 do
  local id = ARGV[i]
  local held = redis.call('HGET', base .. ':held', id)
  if held then amend(id, held, ARGV[i + 2], ARGV[i + 3])
  elseif restore then hold(id, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]) end
  if restore or held then lease(id, milliseconds, ARGV[i + 4]) end
end
return 0
`;

/** Drops some of what has outlived its lease without being forwarded -> how many */
export const purgeScript = `${shared}
return purge()
`;

/** at most how many -> how many were looked at, then event id, value, request and charges of each that is held */
export const listEndedScript = `${shared}
local ended = redis.call('ZRANGEBYSCORE', base .. ':forwarded', '-inf', now, 'LIMIT', 0, ARGV[1])
local rows = {#ended}
for _, id in ipairs(ended) do
  local held = redis.call('HGET', base .. ':held', id)
  if held then
    rows[#rows + 1] = id
    rows[#rows + 1] = held
    rows[#rows + 1] = redis.call('HGET', base .. ':requests', id) or ''
    rows[#rows + 1] = redis.call('HGET', base .. ':charges', id) or ''
  else
    drop(id)
  end
end
return rows
`;
