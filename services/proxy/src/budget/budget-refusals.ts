import { type Charge, never } from '@agp/budgets';
import { ApiError, type ErrorCode, errorTable } from '@agp/core/errors';
import { nanoToText } from '@agp/core/money';
import type { Cheaper } from '@agp/metering';
import { findRefusing, listRefusing, type Unfit } from './judge-budget.ts';

/** What the request would cost with the lowest bound on its output; null if unknown. */
export type FindCheaper = () => Cheaper | null;

const codes = {
  agent: 'agent_budget_exceeded',
  global: 'global_budget_exceeded',
  budget: 'budget_exceeded',
} as const;

/**
 * The refusal by a spent cap or budget, until its window begins anew or moves on, or by one that requests in flight hold. The cap of all agents
 * shows only what this request may cost: more would tell what others spend. A budget without an end is not told when.
 * @param day of the request, `YYYY-MM-DD`; it may be over by now
 * @param findCheaper null while the cost of the request is unknown
 */
export function refuseBudget(
  unfit: readonly Unfit[],
  day: string,
  now: number,
  findCheaper: FindCheaper | null,
): ApiError {
  const refusing = findRefusing(unfit);
  if (refusing === undefined) throw new TypeError('no cap refuses');
  const { of, verdict } = refusing;
  const code = verdict === 'held' ? 'budget_held' : codes[of.kind];
  const endsAt = of.kind === 'budget' ? of.window.to : Date.parse(day) + dayMs;
  const [message, headers] =
    of.kind === 'budget' ? tellBudget(of, refusing) : tellCap(code, refusing, unfit, findCheaper);
  return new ApiError(code, {
    message,
    headers: {
      ...(verdict === 'spent' &&
        endsAt < never && { 'Retry-After': String(Math.max(1, Math.ceil((endsAt - now) / 1_000))) }),
      ...headers,
    },
  });
}

const dayMs = 86_400_000;

type Told = [message: string, headers: Record<string, string>];

function tellBudget({ unit: counted, limit, stored, window: { to } }: Charge, { verdict, sums }: Unfit): Told {
  const { name, window, zone } = stored.budget;
  const [amount, spent, held, mine] = [limit, sums.spent, sums.earlier, sums.mine].map((each) =>
    counted === 'usd' ? nanoToText(each) : String(each),
  ) as [string, string, string, string];
  const ends = to < never ? new Date(to).toISOString() : null;
  const unit = counted === 'usd' ? 'USD' : counted;
  const text = [
    `budget ${name}${verdict === 'held' ? ' is held by requests in flight' : ' exceeded'}`,
    `${amount} ${unit} for ${nameWindow(window, zone)}, spent ${spent}, held ${held}, this request may take ${mine}`,
  ].join(': ');
  return [
    ends === null || verdict === 'held' ? text : `${text}; ${nameNext(window)} ${ends}`,
    {
      ...{ 'X-Budget-Name': name, 'X-Budget-Unit': unit, 'X-Budget-Amount': amount, 'X-Budget-Spent': spent },
      ...{ 'X-Budget-Held': held, 'X-Budget-Request': mine, ...(ends !== null && { 'X-Budget-Resets-At': ends }) },
    },
  ];
}

const nameWindow = (window: string, zone: string) => {
  const [kind, hours] = window.split(':');
  const named = { rolling: `the last ${hours} hours`, session: 'a session', total: 'all time' }[kind ?? ''];
  return named ?? `a ${window}${zone === 'UTC' ? '' : ` in ${zone}`}`;
};

const nameNext = (window: string) =>
  window.startsWith('rolling:') ? 'it moves on by an hour at' : 'it begins anew at';

function tellCap(
  code: ErrorCode,
  { of: { kind, limit }, verdict, sums }: Unfit,
  unfit: readonly Unfit[],
  findCheaper: FindCheaper | null,
): Told {
  const figures: [text: string, header: string, nanoUsd: number][] = [];
  if (kind === 'agent') figures.push(['cap', 'X-Budget-Cap-Usd', limit], ['spent', 'X-Budget-Spent-Usd', sums.spent]);
  if (kind === 'agent' && verdict === 'held') figures.push(['held', 'X-Budget-Held-Usd', sums.earlier]);
  // A cap that is reached refuses whatever a request costs.
  if (findCheaper !== null && sums.spent < limit)
    figures.push(['this request may cost', 'X-Budget-Request-Usd', sums.mine]);
  const texts = figures.map(([text, , nanoUsd], at) => `${text} ${nanoToText(nanoUsd)}${at === 0 ? ' USD' : ''}`);
  const hint = findCheaper && findHint(unfit, findCheaper);
  return [
    [[errorTable[code].message, texts.join(', ')].filter(Boolean).join(': '), hint].filter(Boolean).join('; '),
    Object.fromEntries(figures.map(([, header, nanoUsd]) => [header, nanoToText(nanoUsd)])),
  ];
}

/** The way out, if a lower bound would let the request through at this moment. */
function findHint(unfit: readonly Unfit[], findCheaper: FindCheaper): string | null {
  const refusing = listRefusing(unfit);
  if (refusing.some(({ of, sums }) => of.unit !== 'usd' || sums.spent >= of.limit)) return null;
  const cheaper = findCheaper();
  const fits = ({ of, verdict, sums }: Unfit) =>
    sums.spent + (verdict === 'held' ? sums.earlier : 0) + (cheaper?.nanoUsd ?? 0) <= of.limit;
  return cheaper && refusing.every(fits) ? `a lower ${cheaper.bound} may fit` : null;
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
