import { kinds, type Rule, ruleSchema, type StoredRule } from '@agp/alerts';
import { countOf, formatCount } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import { rewriteText } from '@agp/documents/yaml';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { budgetsQuery, callApi, policiesQuery, rulesQuery, statusQuery, targetsQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { Changes, type DraftProps, type Kind } from '../../changes/stored.tsx';
import { AlertLink, Severity } from '../../components/alerts.tsx';
import { EmptyState, FailureNotice } from '../../components/feedback.tsx';
import { pauseMs } from '../../components/filters.tsx';
import { useSeenNames } from '../../components/known-fields.tsx';
import { Screen, Views, Whole } from '../../components/layout.tsx';
import { actionColumn, type Column, ReadList } from '../../components/list.tsx';
import { Pill, TimeStamp } from '../../components/values.tsx';
import { type Draft, DraftForm, readKinds } from './draft-form.tsx';
import { listSilences, Silence } from './silence.tsx';
import { DeadView, TargetsView } from './targets.tsx';

const asked = readKinds(ruleSchema, 'on');

/** A new rule, with what it has of one of another kind. */
function begin(on: string, { name, description, targets, quiet_minutes, enabled }: Draft): Draft {
  return { ...ruleSchema.parse({ targets, quiet_minutes, enabled, name: 'new', on }), description, name };
}

/** Around a form, so that it is seen: how messages of a draft read, and above all what would be open now. */
function Preview({ draft, children }: { draft: Draft; children: ReactNode }) {
  const [wanted] = useDebouncedValue(draft, pauseMs);
  // It is shown before it has a name.
  const rule = [wanted, { ...wanted, name: 'new' }].find((each) => ruleSchema.safeParse(each).success);
  const { data, error } = useQuery({
    queryKey: ['/api/v1/notification-rules/preview', rule],
    queryFn: ({ signal }) => callApi('post', '/api/v1/notification-rules/preview', { body: rule as never, signal }),
    enabled: rule !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const { example, count = 0, messages, alerts = [] } = data?.data ?? {};
  return (
    <>
      <div role="status" className="small">
        {error && <FailureNotice error={error} />}
        {example && !error && (
          <>
            <strong>{count === 0 ? 'No alert' : countOf(count, 'alert')}</strong> would be open now;{' '}
            <strong>{messages ? countOf(messages, 'message') : 'no message'}</strong> would be sent of them.
            <br />A message reads: <strong>{example.title}</strong> {example.detail}
          </>
        )}
      </div>
      {children}
      {alerts.length > 0 && (
        <ul className="lines small">
          {alerts.map((alert) => (
            <li key={alert.title + alert.detail}>
              <AlertLink of={alert} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Fields for all that a rule is, with what it would tell. */
function RuleForm(props: DraftProps<Draft>) {
  const { draft } = props;
  const budgets = useQuery(budgetsQuery).data?.data ?? [];
  const policies = useQuery(policiesQuery).data?.data ?? [];
  const targets = useQuery(targetsQuery).data?.data ?? [];
  const found = useQuery(statusQuery('7d')).data?.data.pii ?? [];
  const seen = {
    ...useSeenNames(),
    budgets: budgets.map(({ budget }) => budget.name),
    policies: policies.map(({ policy }) => policy.name),
    types: found.map(({ type }) => type),
  };
  const members = asked[`${draft.on}`] ?? {};
  const items = { enum: targets.map(({ target }) => target.name) };
  return (
    <Preview draft={draft}>
      <DraftForm
        {...{ ...props, kinds, begin, seen, by: 'on', schema: ruleSchema }}
        members={{ ...members, targets: { ...members.targets, items } }}
      />
    </Preview>
  );
}

const rules: Kind<StoredRule, Draft> = {
  path: '/api/v1/notification-rules',
  noun: 'rule',
  begun: begin('failing', { name: '' }),
  read: ({ rule }) => rule,
  rewrite: (text, draft) => rewriteText(text, ruleSchema, ruleSchema.parse(draft)),
  Form: RuleForm,
  tell: ({ name, enabled }) => `${name} ${enabled ? 'holds within seconds' : 'is off'}.`,
  warn: () => 'Nothing of it is told any more, and its open alerts are over.',
  canUndo: true,
};

/** Targets that a rule names, or those of its severity. */
function To({ of: { targets, severity } }: { of: Rule }) {
  const all = useQuery(targetsQuery).data?.data ?? [];
  const names = all.flatMap(({ target }) => (target.default_for?.includes(severity) ? [target.name] : []));
  if (targets.length > 0) return targets.join(', ');
  return (
    <span className="dim">{names.length > 0 ? `${names.join(', ')}, as all of ${severity}` : 'the list alone'}</span>
  );
}

const columns: readonly Column<StoredRule>[] = [
  {
    head: 'Rule',
    by: ({ rule }) => rule.name,
    cell: ({ rule: { name, enabled, silences } }) => (
      <>
        {name} {!enabled && <Pill>off</Pill>}
        {listSilences(silences).map(({ agents, until, reason }) => (
          <div key={until + reason} className="small">
            <Pill tone="warn">silent</Pill> of {agents?.join(', ') ?? 'all'} until <TimeStamp at={until} />: {reason}
          </div>
        ))}
      </>
    ),
  },
  { head: 'Tells of', by: ({ rule }) => rule.on, cell: ({ rule }) => rule.on.replaceAll('_', ' ') },
  { head: 'For', wide: true, cell: ({ rule }) => <div className="small text-cell">{describeMatch(rule.match)}</div> },
  { head: 'To', cell: ({ rule }) => <To of={rule} /> },
  { head: 'Severity', by: ({ rule }) => rule.severity, cell: ({ rule }) => <Severity of={rule} /> },
  {
    head: 'Open',
    right: true,
    by: ({ open_count }) => open_count,
    cell: ({ rule, open_count }) => (
      <Link to="/alerts" search={{ rule: rule.name }}>
        {formatCount(open_count)}
      </Link>
    ),
  },
];
const actions = actionColumn((stored: StoredRule) => (
  <>
    <Silence stored={stored} /> <Changes of={rules} stored={stored} />
  </>
));

/** What is told to whom. */
function RulesView() {
  const { change } = usePermissions();
  return (
    <ReadList
      query={useQuery(rulesQuery)}
      title="Rules"
      label="Rules of alerts"
      aside={change && <Changes of={rules} stored={null} />}
      rowKey={({ id }) => id}
      columns={change ? [...columns, actions] : columns}
      none={<EmptyState title="No rule">Nothing is told to anybody until there is one.</EmptyState>}
    />
  );
}

const route = getRouteApi('/alerts/rules');
const views = {
  rules: ['Rules', RulesView],
  targets: ['Targets', TargetsView],
  dead: ['Given up', DeadView],
} as const;

/** What is told, to whom, and what did not arrive. */
export function RulesScreen() {
  const { view } = route.useSearch();
  return (
    <Screen title="Rules of alerts" about="What is told, and to whom">
      <Whole needs="rules">
        <Views label="Views of rules" views={views} view={view} />
      </Whole>
    </Screen>
  );
}
