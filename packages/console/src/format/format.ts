import type { BudgetDefinition, Unit } from '@agp/budgets';
import type { ListedAuditEntry, ModelPrice } from '@agp/core/contracts';
import { describeChange, formatCount, roundUsd as roundCents } from '@agp/core/explain';

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** In short from ten thousand on: `12.3K`. */
export function formatShortCount(count: number): string {
  return count < 10_000 ? formatCount(count) : short.format(count);
}

/** How an amount stands to an earlier one, before the name of the earlier time: `18% more than`, `as much as`. */
export function compareUsd(usd: number, before: number): string {
  if (before === 0) return usd === 0 ? 'nothing, as in' : 'nothing in';
  const change = Math.round((usd / before - 1) * 100);
  if (change === 0) return 'as much as';
  if (change >= 1_000) return `${formatCount(Math.round(usd / before))} times as much as`;
  return `${formatCount(Math.abs(change))}% ${change > 0 ? 'more' : 'less'} than`;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** USD to the figure that matters: whole dollars from a thousand on, below that cents, below ten cents two digits that count. */
export function roundUsd(usd: number): string {
  if (usd === 0) return '$0';
  if (Math.abs(usd) < 999.995) return roundCents(usd, '$');
  return `${usd < 0 ? '-' : ''}$${whole.format(Math.abs(usd))}`;
}

/** A cap; null is no cap. */
export function roundCap(usd: number | null): string {
  return usd === null ? 'no cap' : roundUsd(usd);
}

/** An amount of what a budget counts: `$500.00`, `1.2M tokens`, `1 request`. */
export function formatAmount(amount: number, unit: Unit): string {
  if (unit === 'usd') return roundUsd(amount);
  return `${formatShortCount(amount)} ${amount === 1 ? unit.slice(0, -1) : unit}`;
}

/** A budget's amount and window: `$500.00 a month`, `40 requests in 24 hours`. */
export function tellAmount({ amount, unit, window }: Pick<BudgetDefinition, 'amount' | 'unit' | 'window'>): string {
  const [kind, hours] = window.split(':');
  const words = hours ? `in ${hours} hours` : kind === 'total' ? 'in all' : `a ${kind}`;
  return `${formatAmount(amount, unit)} ${words}`;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, roughly: `just now`, `12 s ago`, `3 min ago`, `5 h ago`, `3 d ago`. */
export function formatAgo(time: number, now: number): string {
  const ms = now - time;
  if (ms < 2 * second) return 'just now';
  if (ms < minute) return `${Math.floor(ms / second)} s ago`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h ago`;
  return `${Math.floor(ms / day)} d ago`;
}

const forms: Record<string, Intl.DateTimeFormat> = {};

/** One for all times: to make it costs as much as a hundred of them. */
function formOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  forms[JSON.stringify(options)] ??= new Intl.DateTimeFormat('en-GB', options);
  return forms[JSON.stringify(options)] as Intl.DateTimeFormat;
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** In the viewer's zone: the time alone for today, else with its day. */
export function formatLocalTime(timestamp: string, now: number = Date.now(), timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const time = new Date(timestamp);
  const dayOf = formOf({ ...zone, day: 'numeric', month: 'short', year: 'numeric' });
  const clockOf = formOf({ ...zone, ...clock }).format(time);
  if (dayOf.format(time) === dayOf.format(now)) return clockOf;
  const sameYear = dayOf.format(time).slice(-4) === dayOf.format(now).slice(-4);
  return `${sameYear ? dayOf.format(time).slice(0, -5) : dayOf.format(time)}, ${clockOf}`;
}

/** With the zone written out: what a tooltip and a printed page show. */
export function formatFullTime(timestamp: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  return formOf({
    ...zone,
    ...clock,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZoneName: 'short',
  }).format(new Date(timestamp));
}

/** The viewer's zone now: `Europe/Berlin (UTC+1)`. */
export function formatZone(now: number = Date.now()): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' }).formatToParts(now);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC');
  return timeZone === offset ? timeZone : `${timeZone} (${offset})`;
}

/** The minute from a time on, in the viewer's zone: `15:07 to 15:08`, with its day if it is not today. */
export function formatMinute(timestamp: string, now: number = Date.now(), timeZone?: string): string {
  const [begin, end] = [timestamp, endOfMinute(timestamp)].map((at) => formatLocalTime(at, now, timeZone).slice(0, -3));
  return `${begin} to ${end?.slice(-5)}`;
}

/** The end of the minute that begins at a time, as the API writes times. */
export function endOfMinute(timestamp: string): string {
  return new Date(Date.parse(timestamp) + minute).toISOString();
}

/** The next time that it is 08:00 in the viewer's zone: today's if that is to come. */
export function findNextMorning(now: number): Date {
  const time = new Date(now);
  const morning = (days: number) => new Date(time.getFullYear(), time.getMonth(), time.getDate() + days, 8);
  return morning(morning(0).getTime() > now ? 0 : 1);
}

/** The UTC day of a time, `YYYY-MM-DD`. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A UTC day as every axis, list and field has it: `25 Nov`, with its year if that is not this one. @param day `YYYY-MM-DD` */
export function formatDay(day: string, now = Date.now()): string {
  const year = day.startsWith(utcDay(now).slice(0, 4)) ? {} : ({ year: 'numeric' } as const);
  return formOf({ timeZone: 'UTC', day: 'numeric', month: 'short', ...year }).format(Date.parse(day));
}

/** What a field of a local time shows: `25 Nov, 08:00`; a dash for none. */
export const showMinute = (at: string): string => (at === '' ? '–' : formatLocalTime(at).slice(0, -3));

const dayMs = 86_400_000;

/** When a daily cap will be used up if the day goes on as the last hour went. */
type Projection =
  | { kind: 'none' }
  | { kind: 'exhausted' }
  | { kind: 'safe'; endOfDayUsd: number }
  | { kind: 'runs out'; at: number; endOfDayUsd: number };

/** Projects today's spend in a straight line. Days are of UTC. @param used spent and reserved, USD @param lastHour spent in 60 minutes, USD */
export function projectSpend(used: number, cap: number | null, lastHour: number | undefined, now: number): Projection {
  if (cap === null || lastHour === undefined) return { kind: 'none' };
  if (used >= cap) return { kind: 'exhausted' };
  const endOfDayUsd = used + (lastHour / hour) * (dayMs - (now % dayMs));
  if (endOfDayUsd <= cap) return { kind: 'safe', endOfDayUsd };
  return { kind: 'runs out', at: now + ((cap - used) / lastHour) * hour, endOfDayUsd };
}

type Price = ModelPrice['prices'][string];

const amounts: readonly (readonly [ending: RegExp, of: string])[] = [
  [/_mtok$/, ''],
  [/_mchars$/, ' (a million characters)'],
  [/_kcount$/, ' (a thousand)'],
  [/_kpages$/, ' pages (a thousand)'],
  [/_mtok_hours$/, ' (a million tokens, an hour)'],
  [/_hours$/, ' (an hour)'],
];

/** A unit of `PRICES_FILE` in words; without an amount it is a million tokens. */
export function namePrice(unit: string): string {
  const found = amounts.find(([ending]) => ending.test(unit));
  const name = found === undefined ? unit : unit.replace(found[0], '') + found[1];
  return name.replaceAll('_', ' ');
}

/** In USD, to the last digit: rounded, the prices of small models would be equal. */
export function showPrice(price: Price | undefined): string {
  if (price === undefined) return '–';
  return `$${typeof price === 'number' ? price : price.base}`;
}

const columned = new Set(['input_mtok', 'output_mtok', 'cache_read_mtok']);

/** Prices of units beside the common three, and what any costs above so much input. */
export function listFurther(prices: ModelPrice['prices']): string[] {
  return Object.entries(prices).flatMap(([unit, price]) => [
    ...(columned.has(unit) ? [] : [`${namePrice(unit)} ${showPrice(price)}`]),
    ...(typeof price === 'number' ? [] : price.tiers).map(
      ({ start, price: above }) => `${namePrice(unit)} above ${start / 1_000}k ${showPrice(above)}`,
    ),
  ]);
}

/** What an entry of the audit log says was changed. */
export const tellChange = (entry: Parameters<typeof describeChange>[0]): string =>
  describeChange(entry, { arrow: ' → ', inWords: true });

/** Every action by the words for it. */
export const actionNames: Readonly<Record<ListedAuditEntry['action'], string>> = {
  'agent.update': 'Agent changed',
  'agent.retire': 'Agent retired',
  'agent.adopt': 'Agent adopted by an issuer',
  'agent_token.create': 'Agent token made',
  'agent_token.delete': 'Agent token revoked',
  'name.release': 'Name released',
  'key.create': 'API key made',
  'key.rotate': 'API key rotated',
  'key.delete': 'API key deleted',
  'key.bootstrap': 'First API key set',
  'budget.global.set': 'Cap of all agents set',
  'budget.default.set': 'Cap of new agents set',
  'budget.agent.set': 'Cap set',
  'limit.default.set': 'Limit of new agents set',
  'limit.agent.set': 'Limit set',
  'pause.set': 'Pause',
  'budget.create': 'Budget made',
  'budget.update': 'Budget changed',
  'budget.delete': 'Budget deleted',
  'policy.create': 'Policy made',
  'policy.update': 'Policy changed',
  'policy.delete': 'Policy removed',
  'identity.create': 'Identity made',
  'identity.update': 'Identity changed',
  'identity.delete': 'Identity removed',
  'notification_rule.create': 'Alert rule made',
  'notification_rule.update': 'Alert rule changed',
  'notification_rule.delete': 'Alert rule removed',
  'notification_target.create': 'Alert target made',
  'notification_target.update': 'Alert target changed',
  'notification_target.delete': 'Alert target removed',
  'notification_target.test': 'Alert target tested',
  'notification.resend': 'Message sent again',
  'alert.acknowledge': 'Alert acknowledged',
  'view.save': 'View saved for all',
  'view.delete': 'View of all removed',
  'request.refused': 'Requests refused',
  'events.retention': 'Old events removed',
  'console.link': 'Sign-in link made',
  'console.sign_in': 'Signed in',
  'console.sign_out': 'Signed out',
  'console.refused': 'Sign-in refused',
  'console.replace': 'Session replaced by a sign-in',
  'console.revoke': 'Session ended',
};

/** An action in words; its own name if this version does not know it. */
export function nameAction(action: string): string {
  return Object.hasOwn(actionNames, action) ? actionNames[action as ListedAuditEntry['action']] : action;
}

/** What an entry of the audit log did, in words; of an agent whose status changed, what it became. */
export function nameEntry({ action, before, after }: Pick<ListedAuditEntry, 'action' | 'before' | 'after'>): string {
  const [was, is] = [before?.status, after?.status];
  if (action !== 'agent.update' || was === is) return nameAction(action);
  return was === 'blocked' && is === 'active' ? 'Agent unblocked' : `Agent ${is}`;
}

/** Whether an entry sums up the minute that begins at its time. */
export function sumsUpMinute(action: string): boolean {
  return action === 'request.refused';
}

/** Who made a change. */
export function nameActor(actor: ListedAuditEntry['actor']): string {
  return 'name' in actor ? actor.name : actor.kind;
}

/** Why an agent is refused although something of its cap is left. */
export const noRoomMeaning =
  'Its cap refused its latest request: what is left is less than that reserved, 4,096 tokens of output if it names no max_tokens.';
