import type { MonthlyCosts } from '@agp/alerts';
import { countOf, formatShare, nameMonth, roundUsd } from '@agp/core/explain';
import { toPublicId } from '@agp/core/ids';
import { sumUsd } from '@agp/core/money';
import { toLineText } from '@agp/core/text';
import type { ReportMessage } from './message.ts';

const longestRow = 300;

/** The UTC day after a month's last. @param month such as `2026-10` */
const findEnd = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number)).toISOString();
};

interface Reported {
  id: string;
  report: MonthlyCosts;
  consoleOrigin: string | undefined;
}

/** What a month cost: its sum, then a line for each of the largest, and one for all others. */
export function writeReport({ id, report, consoleOrigin }: Reported): ReportMessage {
  const { month, by, total_usd: total, request_count: count, largest } = report;
  const end = findEnd(month);
  const group = by.replace(/^label:/, '');
  const tell = (name: string, usd: number) =>
    toLineText(`${name}: ${roundUsd(usd)} USD${total > 0 ? `, ${formatShare(usd / total)}` : ''}`, longestRow);
  const others = sumUsd([total, ...largest.map(({ cost_usd }) => -cost_usd)]);
  const query = new URLSearchParams({ by, from: `${month}-01`, to: end.slice(0, 10) });
  const links =
    consoleOrigin === undefined ? [] : [{ title: 'Costs', url: new URL(`/costs?${query}`, consoleOrigin).href }];
  return {
    ...{ id: toPublicId('dlv', id), occasion: 'report', report, at: end, link: links[0]?.url ?? null, links },
    first: `Costs of ${nameMonth(month)}: ${roundUsd(total)} USD, ${countOf(count, 'request')}`,
    rest: [
      ...largest.map(({ name, cost_usd }) => tell(name ?? `no ${group}`, cost_usd)),
      ...(others > 0 ? [tell('all others', others)] : []),
    ],
  };
}
