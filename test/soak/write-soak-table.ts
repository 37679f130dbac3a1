import { milliseconds } from '../prove/story.ts';
import type { SoakAccounts } from './soak-accounts.ts';
import type { Sent } from './soak-load.ts';

export interface SoakSize {
  minutes: number;
  seed: number;
  perSecond: number;
}

/** One loss, from its beginning until all is as before; both on the monotonic clock in milliseconds. */
export interface FaultRun {
  name: string;
  from: number;
  /** When what was lost was there again. */
  mendedAt: number;
  /** When each proxy served again. */
  until: number;
}

const show = (value: number) => value.toLocaleString('en-US');

function countOutcomes(sent: readonly Sent[]): string {
  const counts = Map.groupBy(sent, ({ outcome }) => outcome);
  const refused = [...counts]
    .filter(([outcome]) => outcome !== 'served')
    .sort(([, one], [, other]) => other.length - one.length);
  return refused.map(([outcome, each]) => `${outcome} ${show(each.length)}`).join(', ') || 'none';
}

const slowest = (sent: readonly Sent[]) => milliseconds(sent.reduce((most, { ms }) => Math.max(most, ms), 0));
const toRow = (cells: (string | number)[]) => `| ${cells.join(' | ')} |\n`;

/** The tables of a soak in Markdown: what each loss did to callers, and the accounts. */
export function writeSoakTable(
  { minutes, seed, perSecond }: SoakSize,
  sent: readonly Sent[],
  faults: readonly FaultRun[],
  accounts: SoakAccounts,
  billed: number,
): string {
  const during = new Map<FaultRun, Sent[]>(faults.map((fault) => [fault, []]));
  const outside: Sent[] = [];
  for (const each of sent) {
    // The loss that a request met first.
    const fault = faults.find(({ from, until }) => each.at + each.ms >= from && each.at <= until);
    (fault ? during.get(fault) : outside)?.push(each);
  }
  const rows = [...Map.groupBy(faults, ({ name }) => name)].sort(([one], [other]) => (one < other ? -1 : 1));
  const faultRows = rows.map(([name, runs]) => {
    const met = runs.flatMap((run) => during.get(run) ?? []);
    const back = runs.map(({ mendedAt, until }) => until - mendedAt);
    return toRow([
      name,
      runs.length,
      show(met.length),
      countOutcomes(met),
      slowest(met),
      milliseconds(Math.max(...back)),
    ]);
  });
  const head = ['loss', 'times', 'requests meanwhile', 'not served', 'slowest', 'served again after, at most'];
  const totals: [string, string | number][] = [
    ['requests', show(sent.length)],
    ['served', show(sent.filter(({ outcome }) => outcome === 'served').length)],
    ['outside any loss, not served', countOutcomes(outside)],
    ['reached the provider', show(billed)],
    ['events recorded', show(accounts.recorded)],
    ['requests said to be lost', `${show(accounts.lost)}, ${accounts.lostUsd} USD`],
    ['ids given to callers and known to nobody', accounts.unknownIds],
    ['events twice', accounts.twice],
    ['recorded and said to be lost', accounts.inBoth],
    ['chains that do not verify', `${accounts.brokenChains} of ${show(accounts.chains)}`],
    ['sum of the events', `${accounts.spentUsd} USD`],
    ['sums that differ from it', accounts.unequalSums.join('; ') || 'none'],
    ['left reserved', accounts.leftReserved],
    ['in quarantine', accounts.quarantined],
    [
      'caps passed by',
      Object.entries(accounts.capsPassed)
        .map(([name, usd]) => `${name} ${usd} USD`)
        .join(', ') || 'none',
    ],
  ];
  return [
    `# npm run soak: ${minutes} minutes, seed ${seed}, ${perSecond} requests a second\n\n`,
    ...[head, head.map(() => '---')].map(toRow),
    ...faultRows,
    '\n',
    ...[['account', ''], ['---', '---'], ...totals].map(toRow),
  ].join('');
}
