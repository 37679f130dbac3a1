import type { BudgetUse, StoredBudget } from '@agp/budgets';
import { formatCount } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { budgetsQuery } from '../../api/api.ts';
import { NothingLeft } from '../../components/cap-bar.tsx';
import { Reading } from '../../components/feedback.tsx';
import { actionColumn, type Column, List, Rows } from '../../components/list.tsx';
import { Meter, partOf } from '../../components/meter.tsx';
import { Whose } from '../../components/policies.tsx';
import { AgentLink, Fields, Pill, SessionLink, ShortId, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { formatAmount, tellAmount } from '../../format/format.ts';
import { BudgetActions, outcomes } from './budget-changes.tsx';

/** How far the one that used most is; a budget that nobody used is last. */
const findPart = ({ budget, uses: [most] }: StoredBudget): number =>
  most === undefined ? -1 : partOf(most.used + most.held, budget.amount);

/** Who used a part of it, as a link if there is a page. */
function UseKey({ of: { budget }, use: { key, name } }: { of: StoredBudget; use: BudgetUse }) {
  if (budget.split_by === 'agent') return <AgentLink id={key} name={name} />;
  return budget.split_by === 'session' ? <SessionLink id={key} /> : key || 'All together';
}

const UseBar = ({ of: { budget }, use }: { of: StoredBudget; use: BudgetUse }) => (
  <Meter
    {...{ label: `Used of ${budget.name} ${use.key}`, use, amount: budget.amount, unit: budget.unit }}
    {...{ beyond: budget.on_exceeded, lines: budget.thresholds }}
  />
);

/** What will be used at the end of a day, week or month if it goes on so. */
function Pace({ of: { budget, window }, use }: { of: StoredBudget; use: BudgetUse | undefined }) {
  if (!use || use.expected === null || window.to === null) return <span className="dim">–</span>;
  const form = new Intl.DateTimeFormat('en-GB', { timeZone: budget.zone, day: 'numeric', month: 'short' });
  return (
    <span className={use.expected > budget.amount ? 'tone-warn' : undefined}>
      {formatAmount(use.expected, budget.unit)} by {form.format(Date.parse(window.to))}
    </span>
  );
}

const tones = { observe: 'plain', warn: 'warn', refuse: 'good' } as const;

const columns: readonly Column<StoredBudget>[] = [
  {
    head: 'Budget',
    by: ({ budget }) => budget.name,
    cell: ({ id, budget, is_counted, team, uses: [most] }) => (
      <>
        <Link to="/budgets" search={true} hash={id} replace>
          {budget.name}
        </Link>{' '}
        <Whose of={{ team }} /> {!is_counted && <Pill title="It holds once what it counts is summed up">counting</Pill>}{' '}
        <NothingLeft use={most} beyond={budget.on_exceeded} />
        <div className="small dim hide-narrow">
          {describeMatch(budget.match)}
          {budget.split_by !== 'none' && `; each ${budget.split_by.replace(/^label:/, '')}`}
        </div>
      </>
    ),
  },
  {
    head: 'Used',
    lead: true,
    by: findPart,
    cell: (stored) => {
      const [most] = stored.uses;
      if (most === undefined) return <span className="small dim">not used yet</span>;
      return (
        <>
          <UseBar of={stored} use={most} />
          {most.key && (
            <div className="small dim hide-narrow">
              <UseKey of={stored} use={most} />
              {stored.use_count > 1 && `, the fullest of ${formatCount(stored.use_count)}`}
            </div>
          )}
        </>
      );
    },
  },
  { head: 'Amount', cell: ({ budget }) => tellAmount(budget) },
  { head: 'At this pace', right: true, cell: (stored) => <Pace of={stored} use={stored.uses[0]} /> },
  { head: 'Begins anew', wide: true, cell: ({ window }) => <TimeStamp at={window.to} /> },
  {
    head: 'Beyond it',
    wide: true,
    by: ({ budget }) => budget.on_exceeded,
    cell: ({ budget: { on_exceeded: then } }) => <Pill tone={tones[then]}>{outcomes[then]}</Pill>,
  },
  { ...actionColumn((stored: StoredBudget) => <BudgetActions stored={stored} />), wide: true },
];

/** A budget beside the list: who used it. */
function BudgetPeek({ stored }: { stored: StoredBudget }) {
  const { id, version, budget, window, uses, use_count, updated_at } = stored;
  return (
    <>
      <Fields
        fields={{
          ...(budget.description && { 'What it is for': budget.description }),
          Amount: `${tellAmount(budget)} (${budget.zone})`,
          'Beyond it requests are': outcomes[budget.on_exceeded],
          'Begins anew': <TimeStamp at={window.to} />,
          [`Version ${formatCount(version)}`]: <TimeAgo at={updated_at} />,
          ...(use_count > uses.length && { Shown: `the ${uses.length} fullest of ${formatCount(use_count)}` }),
          Id: <ShortId id={id} what="budget id" />,
        }}
      />
      <Group hiddenFrom="sm">
        <BudgetActions stored={stored} />
      </Group>
      <Rows
        label={`Uses of ${budget.name}`}
        rows={uses}
        rowKey={({ key }) => key}
        columns={[
          { head: 'Who', cell: (use) => <UseKey of={stored} use={use} /> },
          { head: 'Used', lead: true, cell: (use) => <UseBar of={stored} use={use} /> },
          {
            head: 'Left',
            right: true,
            cell: (use) => (
              <>
                {formatAmount(use.left, budget.unit)} <NothingLeft use={use} beyond={budget.on_exceeded} />
              </>
            ),
          },
          { head: 'At this pace', right: true, cell: (use) => <Pace of={stored} use={use} /> },
        ]}
      />
    </>
  );
}

/** Budgets by label, model, month and so on: the fullest first. */
export function NamedBudgets() {
  return (
    <Reading query={useQuery(budgetsQuery)} shape={{ rows: 4 }}>
      {({ data }) => (
        <List
          title="Budgets"
          label="Budgets"
          aside={<BudgetActions stored={null} />}
          rows={data.toSorted((one, other) => findPart(other) - findPart(one))}
          rowKey={({ id }) => id}
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
