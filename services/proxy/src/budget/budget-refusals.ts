import { type Charge, never } from '@agp/budgets';
import { ApiError, errorTable } from '@agp/core/errors';
import { nanoToText } from '@agp/core/money';
import type { Cheaper } from '@agp/metering';
import { type CapScope, type CapVerdict, findRefusing, listRefusing } from './judge-budget.ts';

/** What the request would cost with the lowest bound on its output; null if unknown. */
export type FindCheaper = () => Cheaper | null;

const codes = {
  agent: 'agent_budget_exceeded',
  global: 'global_budget_exceeded',
  budget: 'budget_exceeded',
} as const;

/**
 * The refusal by a spent cap, until the next UTC day, or by one that requests in flight hold. The cap of all agents shows only what this
 * request may cost: more would tell what others spend.
 * @param day of the request, `YYYY-MM-DD`; it may be over by now
 * @param findCheaper null while the cost of the request is unknown
 */
export function refuseBudget(
  judged: readonly CapVerdict[],
  day: string,
  now: number,
  findCheaper: FindCheaper | null,
): ApiError {
  const refusing = findRefusing(judged);
  if (refusing === undefined) throw new TypeError('no cap refuses');
  const { scope, verdict, charge } = refusing;
  const code = verdict === 'held' ? 'budget_held' : codes[scope];
  if (charge !== undefined) return refuseCharge(code, refusing, charge, now);
  const figures = listFigures(refusing, findCheaper !== null);
  const texts = figures.map(({ text, nanoUsd }, index) => `${text} ${nanoToText(nanoUsd)}${index === 0 ? ' USD' : ''}`);
  const hint = findCheaper && findHint(judged, findCheaper);
  return new ApiError(code, {
    message: [[errorTable[code].message, texts.join(', ')].filter(Boolean).join(': '), hint].filter(Boolean).join('; '),
    headers: {
      ...(verdict === 'held' ? {} : { 'Retry-After': countSecondsLeft(day, now) }),
      ...Object.fromEntries(figures.map(({ header, nanoUsd }) => [header, nanoToText(nanoUsd)])),
    },
  });
}

const shown = (charge: Charge, amount: number) => (charge.unit === 'usd' ? nanoToText(amount) : String(amount));

/** By a budget: until its window begins anew, or moves on by an hour; one without an end is not told when. */
function refuseCharge(
  code: 'budget_held' | (typeof codes)[CapScope],
  { verdict, sums, capNanoUsd }: CapVerdict,
  charge: Charge,
  now: number,
): ApiError {
  const { name, window, zone } = charge.stored.budget;
  const [amount, spent, held, mine] = [capNanoUsd ?? 0, sums.spent, sums.earlier, sums.mine].map((each) =>
    shown(charge, each),
  );
  const ends = charge.window.to < never ? new Date(charge.window.to).toISOString() : null;
  const unit = charge.unit === 'usd' ? 'USD' : charge.unit;
  const text = [
    `budget ${name}${verdict === 'held' ? ' is held by requests in flight' : ' exceeded'}`,
    `${amount} ${unit} for ${nameWindow(window, zone)}, spent ${spent}, held ${held}, this request may take ${mine}`,
  ].join(': ');
  return new ApiError(code, {
    message: ends === null || verdict === 'held' ? text : `${text}; ${nameNext(window)} ${ends}`,
    headers: {
      ...(ends !== null &&
        verdict !== 'held' && { 'Retry-After': String(Math.max(1, Math.ceil((charge.window.to - now) / 1_000))) }),
      'X-Budget-Name': name,
      'X-Budget-Unit': unit,
      ...{ 'X-Budget-Amount': amount, 'X-Budget-Spent': spent, 'X-Budget-Held': held, 'X-Budget-Request': mine },
      ...(ends !== null && { 'X-Budget-Resets-At': ends }),
    } as Record<string, string>,
  });
}

const nameWindow = (window: string, zone: string) => {
  const [kind, hours] = window.split(':');
  const named = { rolling: `the last ${hours} hours`, session: 'a session', total: 'all time' }[kind ?? ''];
  return named ?? `a ${window}${zone === 'UTC' ? '' : ` in ${zone}`}`;
};

const nameNext = (window: string) =>
  window.startsWith('rolling:') ? 'it moves on by an hour at' : 'it begins anew at';

interface Figure {
  text: string;
  header: string;
  nanoUsd: number;
}

function listFigures({ scope, verdict, capNanoUsd, sums }: CapVerdict, isCostKnown: boolean): Figure[] {
  const cap = capNanoUsd ?? 0;
  const ofAgent = [
    { text: 'cap', header: 'X-Budget-Cap-Usd', nanoUsd: cap },
    { text: 'spent', header: 'X-Budget-Spent-Usd', nanoUsd: sums.spent },
    ...(verdict === 'held' ? [{ text: 'held', header: 'X-Budget-Held-Usd', nanoUsd: sums.earlier }] : []),
  ];
  const mine = { text: 'this request may cost', header: 'X-Budget-Request-Usd', nanoUsd: sums.mine };
  // A cap that is reached refuses whatever a request costs.
  const matters = isCostKnown && sums.spent < cap;
  return [...(scope === 'agent' ? ofAgent : []), ...(matters ? [mine] : [])];
}

/** The way out, if a lower bound would let the request through at this moment. */
function findHint(judged: readonly CapVerdict[], findCheaper: FindCheaper): string | null {
  const refusing = listRefusing(judged);
  if (refusing.some(({ capNanoUsd, sums }) => sums.spent >= (capNanoUsd ?? 0))) return null;
  const cheaper = findCheaper();
  const fits = ({ verdict, capNanoUsd, sums }: CapVerdict) =>
    sums.spent + (verdict === 'held' ? sums.earlier : 0) + (cheaper?.nanoUsd ?? 0) <= (capNanoUsd ?? 0);
  return cheaper && refusing.every(fits) ? `a lower ${cheaper.bound} may fit` : null;
}

function countSecondsLeft(day: string, now: number): string {
  return String(Math.max(1, Math.ceil((Date.parse(day) + 86_400_000 - now) / 1_000)));
}

export function rateLimited(limit: number, resetSeconds: number): ApiError {
  return new ApiError('rate_limited', {
    message: `${errorTable.rate_limited.message}: at most ${limit} a minute for this agent`,
    headers: {
      'Retry-After': String(resetSeconds),
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(resetSeconds),
    },
  });
}
