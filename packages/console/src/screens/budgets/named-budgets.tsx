import type { BudgetUse, StoredBudget } from '@agp/budgets';
import { formatCount } from '@agp/core/explain';
import { describeMatch } from '@agp/policy/describe';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { budgetsQuery } from '../../api/api.ts';
import { Reading } from '../../components/feedback.tsx';
import { type Column, List, Rows } from '../../components/list.tsx';
import { BudgetBar, partOf } from '../../components/meter.tsx';
import { AgentLink, Fields, Pill, SessionLink, ShortId, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { formatAmount, nameSplit, nameWindow } from '../../format/format.ts';

/** How far the one that used most is; a budget that nobody used is last. */
const findPart = ({ budget, uses: [most] }: StoredBudget): number =>
  most === undefined ? -1 : partOf(most.used + most.held, budget.amount);

const outcomes = { observe: 'only counted', warn: 'warned of', refuse: 'refused' } as const;
const tones = { observe: 'plain', warn: 'warn', refuse: 'good' } as const;

/** What a split budget is split by, as a link if there is a page of it. */
function UseKey({ of: { budget }, use: { key, name } }: { of: StoredBudget; use: BudgetUse }) {
  if (budget.split_by === 'agent') return <AgentLink id={key} name={name} />;
  return budget.split_by === 'session' ? <SessionLink id={key} /> : key;
}

/** What will be used at the end of a day, week or month if it goes on so. */
function Pace({ of: { budget, window }, use }: { of: StoredBudget; use: BudgetUse | undefined }) {
  if (use === undefined || use.expected === null || window.to === null) return <span className="dim">–</span>;
  const form = new Intl.DateTimeFormat('en-GB', { timeZone: budget.zone, day: 'numeric', month: 'short' });
  return (
    <span className={use.expected > budget.amount ? 'tone-warn' : undefined}>
      {formatAmount(use.expected, budget.unit)} by {form.format(Date.parse(window.to))}
    </span>
  );
}

const columns: readonly Column<StoredBudget>[] = [
  {
    head: 'Budget',
    by: ({ budget }) => budget.name,
    cell: ({ id, budget, is_counted }) => (
      <>
        <Link to="/budgets" search={true} hash={id} replace>
          {budget.name}
        </Link>{' '}
        {!is_counted && <Pill title="What it holds already is summed up; it holds once that is done">counting</Pill>}
      </>
    ),
  },
  {
    head: 'For',
    wide: true,
    cell: ({ budget }) => (
      <div className="small text-cell">
        {[describeMatch(budget.match), nameSplit(budget.split_by)].filter(Boolean).join('; ')}
      </div>
    ),
  },
  {
    head: 'Used',
    lead: true,
    by: findPart,
    cell: ({ budget, uses: [most] }) =>
      most ? <BudgetBar of={budget} use={most} whose={budget.name} /> : <span className="small dim">not used yet</span>,
  },
  {
    head: 'Most used by',
    wide: true,
    cell: (stored) => {
      const { uses, use_count: count } = stored;
      return (
        nameSplit(stored.budget.split_by) &&
        uses[0] && (
          <span className="small">
            <UseKey of={stored} use={uses[0]} /> {count > 1 && <span className="dim">of {formatCount(count)}</span>}
          </span>
        )
      );
    },
  },
  {
    head: 'Amount',
    right: true,
    cell: ({ budget }) => `${formatAmount(budget.amount, budget.unit)} ${nameWindow(budget.window)}`,
  },
  { head: 'At this pace', right: true, cell: (stored) => <Pace of={stored} use={stored.uses[0]} /> },
  {
    head: 'Begins anew',
    wide: true,
    cell: ({ budget, window }) =>
      budget.window.startsWith('rolling') ? <span className="dim">moves on</span> : <TimeStamp at={window.to} />,
  },
  {
    head: 'Beyond it',
    wide: true,
    by: ({ budget }) => budget.on_exceeded,
    cell: ({ budget }) => <Pill tone={tones[budget.on_exceeded]}>{outcomes[budget.on_exceeded]}</Pill>,
  },
];

/** A budget beside the list: who used it. */
function BudgetPeek({ stored }: { stored: StoredBudget }) {
  const { id, version, budget, window, uses, use_count, updated_at } = stored;
  const split = nameSplit(budget.split_by);
  return (
    <>
      <Fields
        fields={{
          ...(budget.description && { Why: budget.description }),
          For: describeMatch(budget.match),
          ...(split && { 'Amount for': split }),
          Amount: `${formatAmount(budget.amount, budget.unit)} ${nameWindow(budget.window)}`,
          'Beyond it requests are': outcomes[budget.on_exceeded],
          Since: <TimeStamp at={window.from} />,
          'Begins anew': <TimeStamp at={window.to} />,
          'Time zone': budget.zone,
          Version: (
            <>
              {formatCount(version)}, changed <TimeAgo at={updated_at} />
            </>
          ),
          Id: <ShortId id={id} what="budget id" />,
        }}
      />
      <Rows
        label={`Uses of ${budget.name}`}
        rows={uses}
        rowKey={({ key }) => key}
        note={use_count > uses.length && ` of ${formatCount(use_count)}`}
        columns={[
          { head: 'Who', cell: (use) => (split ? <UseKey of={stored} use={use} /> : 'All together') },
          { head: 'Used', lead: true, cell: (use) => <BudgetBar of={budget} use={use} whose={use.name ?? use.key} /> },
          { head: 'Left', right: true, cell: ({ left }) => formatAmount(left, budget.unit) },
          { head: 'At this pace', right: true, cell: (use) => <Pace of={stored} use={use} /> },
        ]}
      />
      {use_count > uses.length && (
        <p className="small dim">
          The {uses.length} that used most, of {formatCount(use_count)}.
        </p>
      )}
    </>
  );
}

/** Rows that are drawn at once. */
const atOnce = 200;

/** Budgets by label, model, month and so on: the one that is used most comes first. */
export function NamedBudgets() {
  const query = useQuery(budgetsQuery);
  return (
    <Reading query={query} shape={{ rows: 4 }}>
      {({ data }) => (
        <List
          title="Budgets"
          label="Budgets"
          rows={data.toSorted((one, other) => findPart(other) - findPart(one))}
          rowKey={({ id }) => id}
          atOnce={atOnce}
          columns={columns}
          peek={(stored) => <BudgetPeek stored={stored} />}
          none={
            <p className="card-body" style={{ margin: 0 }}>
              A budget is an amount of money, tokens or requests for a team, a project, a model or each agent, in a day,
              a month or all time. Beyond it requests are refused, or its agents are warned.
            </p>
          }
        />
      )}
    </Reading>
  );
}
