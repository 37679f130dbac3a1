import { billedDays, type ReadBill, type ReconciledRow } from '@agp/core/contracts';
import { formatUsd, roundUsd } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, usageQuery } from '../../api/api.ts';
import { CsvButton, PrintButton } from '../../components/export.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Banner, Card } from '../../components/layout.tsx';
import { type Column, List } from '../../components/list.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { Name, TimeAgo } from '../../components/values.tsx';
import { formatDay, utcDay } from '../../format/format.ts';
import {
  type InvoiceSum,
  nameDays,
  nameMonth,
  shiftMonth,
  sumEach,
  sumRows,
  tellMonth,
  vendors,
} from './invoice-sums.ts';

const route = getRouteApi('/costs');
const dayMs = 86_400_000;
/** Months that are offered. */
const mostMonths = 13;
/** The sum of all days has another name. */
const isDay = /^\d{4}-\d\d-\d\d$/;

/** USD with cents; exactly on hover. */
const Cents = ({ usd }: { usd: number }) => (
  <span title={`${formatUsd(usd)} USD`} className="nowrap">
    {roundUsd(usd)}
  </span>
);

const writePercent = ({ gap_usd: gap, billed_usd: billed }: InvoiceSum) =>
  billed === 0 ? '–' : `${((100 * gap) / billed).toFixed(2)} %`;

const amount = (head: string, name: Exclude<keyof InvoiceSum, 'name'>, wide = false): Column<InvoiceSum> => ({
  ...{ head, right: true, wide, lead: name === 'gap_usd' },
  by: (sum) => sum[name],
  cell: (sum) => <Cents usd={sum[name]} />,
});

const columns: Column<InvoiceSum>[] = [
  amount('Recorded', 'recorded_usd'),
  amount('Billed', 'billed_usd'),
  amount('Gap', 'gap_usd'),
  { head: 'Gap %', right: true, cell: writePercent },
  amount('Not recorded', 'unrecorded_usd'),
  amount('In doubt', 'doubtful_usd'),
  amount('Other day', 'other_day_usd'),
  amount('No price', 'unpriced_usd'),
  amount('Not here', 'beside_usd'),
];

/** Whether each bill was read, and if none is, what to do. */
function Bills({ bills }: { bills: readonly ReadBill[] }) {
  const set = bills.filter(({ is_set }) => is_set);
  return (
    <>
      {set.length === 0 && (
        <Banner tone="plain">
          No bill is read: set{' '}
          {bills.map(({ setting }, at) => (
            <span key={setting}>
              {at > 0 && ' or '}
              <span className="mono">{setting}</span>
            </span>
          ))}{' '}
          of management to the key of an administrator, and it is read each night. Once, by hand:{' '}
          <span className="mono">agp costs reconcile --provider openai --month last</span>
        </Banner>
      )}
      {set.map(({ provider, error }) =>
        error === null ? null : (
          <Banner key={provider} role="status">
            The bill of {vendors[provider]} could not be read: {error}
          </Banner>
        ),
      )}
      {set.length > 0 && (
        <p className="dim small" style={{ margin: 0 }}>
          {set.map(({ provider, read_at }) => (
            <span key={provider}>
              {vendors[provider]}’s bill was read <TimeAgo at={read_at} />.{' '}
            </span>
          ))}
          Days are UTC. What is not here did not pass this proxy; below 0 less was billed, such as by a discount.
        </p>
      )}
    </>
  );
}

/** What is recorded of days that a provider's bill has, of providers that billed none of them. @param rows undefined until they are read */
function useUnbilled(range: { from: string; to: string }, bills: readonly ReadBill[], rows?: readonly ReconciledRow[]) {
  const silent = bills.flatMap(({ provider, read_at: at }) => {
    if (at === null || rows?.some((row) => row.provider === provider)) return [];
    const [first, end] = [utcDay(Date.parse(at) - billedDays * dayMs), utcDay(Date.parse(at))];
    return first <= range.from && range.from < end ? [{ provider, end }] : [];
  });
  const [to] = [range.to, ...silent.map(({ end }) => end)].toSorted();
  const query = usageQuery({ from: range.from, to }, ['provider']);
  const { data } = useQuery({ ...query, enabled: rows !== undefined && silent.length > 0 });
  return silent.flatMap(({ provider }) => {
    const usd = data?.data.usage.find((each) => each.provider === provider)?.total_cost_usd ?? 0;
    return usd > 0 ? [{ provider, usd }] : [];
  });
}

/** What providers billed in a month beside what is recorded, by day and by model. */
export function InvoiceView() {
  const search = route.useSearch();
  const { bind } = useFilters(search);
  // The last day whose bill may be there is yesterday.
  const latest = utcDay(Date.now() - dayMs).slice(0, 7);
  const { month = latest, provider } = search;
  const months = Array.from({ length: mostMonths }, (_, at) => shiftMonth(latest, -at));
  const range = { from: `${month}-01`, to: `${shiftMonth(month, 1)}-01`, provider };
  const query = useQuery(apiQuery('/api/v1/costs/reconciliation', { query: range }));
  const read = query.data?.data;
  const asked = (read?.bills ?? []).filter((bill) => provider === undefined || bill.provider === provider);
  const unbilled = useUnbilled(range, asked, read?.rows);
  return (
    <>
      <div className="filters">
        <Choice
          label="Month (UTC)"
          options={Object.fromEntries(months.map((each) => [each, nameMonth(each)]))}
          {...bind('month')}
          value={month}
        />
        <Choice label="Provider" none="all" options={vendors} {...bind('provider')} />
        <CsvButton
          path="/api/v1/costs/reconciliation"
          query={range}
          name={['invoice', month, provider].filter(Boolean).join('-')}
          title="By day and model, with all digits"
        />
        <PrintButton />
      </div>
      <Reading query={query}>
        {({ data: { bills, rows } }) => (
          <>
            {rows.length > 0 && <p style={{ margin: 0 }}>{tellMonth(month, rows)}</p>}
            {unbilled.map(({ provider, usd }) => (
              <Banner key={provider} tone="warn">
                {nameMonth(month)}: {roundUsd(usd)} USD recorded, and nothing billed by {vendors[provider]}.
              </Banner>
            ))}
            <Bills bills={bills} />
            {rows.length === 0 ? (
              <Card>
                <EmptyState
                  title={`${unbilled.length > 0 ? 'No bill has anything' : 'Nothing is known'} of ${nameMonth(month)}`}
                >
                  A bill that is read has the {billedDays} days before it.
                </EmptyState>
              </Card>
            ) : (
              <>
                <List
                  title="By day"
                  label="Invoice by day"
                  rows={[...sumEach(rows, 'day'), sumRows(rows, nameDays(month, rows))]}
                  rowKey={({ name }) => name}
                  columns={[
                    { head: 'Day', cell: ({ name }) => (isDay.test(name) ? formatDay(name) : <strong>{name}</strong>) },
                    ...columns.map(({ by: _, ...column }) => column),
                  ]}
                />
                <List
                  title="By model"
                  label="Invoice by model"
                  rows={sumEach(rows, 'model').toSorted((a, b) => Math.abs(b.gap_usd) - Math.abs(a.gap_usd))}
                  rowKey={({ name }) => name}
                  atOnce={50}
                  columns={[
                    { head: 'Model', by: ({ name }) => name, cell: ({ name }) => <Name>{name}</Name> },
                    ...columns,
                  ]}
                />
              </>
            )}
          </>
        )}
      </Reading>
    </>
  );
}
