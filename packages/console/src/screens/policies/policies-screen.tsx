import { formatCount } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import type { StoredPolicy } from '@agp/policy';
import { listRuleMembers } from '@agp/policy/rule-members';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { policiesQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { CopyAs } from '../../components/export.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Screen } from '../../components/layout.tsx';
import { agoColumn, type Column, ReadList } from '../../components/list.tsx';
import { newPolicy, PolicyHits, PolicyMode, Whose } from '../../components/policies.tsx';
import { Pill, TimeStamp } from '../../components/values.tsx';
import { hasEnded } from './describe-policy.ts';
import { AllExceptions, isOver } from './exceptions.tsx';

const columns: readonly Column<StoredPolicy>[] = [
  {
    head: 'Policy',
    by: ({ policy }) => policy.name,
    cell: ({ id, policy, team }) => (
      <>
        <Link to="/policies/$policyId" params={{ policyId: id }} className="name" title={policy.name}>
          {policy.name}
        </Link>{' '}
        <Whose of={{ team }} />
      </>
    ),
  },
  {
    head: 'Mode',
    by: ({ policy }) => policy.mode,
    cell: ({ policy }) => (
      <>
        <PolicyMode mode={policy.mode} /> {hasEnded(policy) && <Pill tone="warn">ended</Pill>}
      </>
    ),
  },
  { head: 'For', cell: ({ policy }) => <div className="small text-cell">{describeMatch(policy.match)}</div> },
  {
    head: 'Rules',
    wide: true,
    cell: ({ policy }) => <span className="small">{listRuleMembers(policy).join(', ') || 'none'}</span>,
  },
  {
    head: 'Exceptions',
    wide: true,
    cell: ({ policy: { exceptions = [] } }) => {
      const held = exceptions.filter((each) => !isOver(each));
      const last = held.toSorted((one, other) => Date.parse(one.until) - Date.parse(other.until)).at(-1);
      return (
        last && (
          <span className="small">
            {held.length}, until <TimeStamp at={last.until} />
          </span>
        )
      );
    },
  },
  {
    head: 'Refused',
    right: true,
    by: ({ hits }) => hits?.refused ?? null,
    cell: (stored) => <PolicyHits stored={stored} of="refused" />,
  },
  {
    head: 'By rule',
    cell: (stored) =>
      stored.hits?.by.length !== 0 && (
        <div className="text-cell">
          <PolicyHits stored={stored} of="rules" />
        </div>
      ),
  },
  { head: 'Version', right: true, wide: true, cell: ({ version }) => formatCount(version) },
  agoColumn('Changed', ({ updated_at }) => updated_at),
];

function NewPolicyButton({ children }: { children: string }) {
  const { govern } = usePermissions();
  if (!govern) return null;
  return (
    <Button renderRoot={(props) => <Link to="/policies/$policyId" params={{ policyId: newPolicy }} {...props} />}>
      {children}
    </Button>
  );
}

/** What agents may do: all policies, and what each did in the last day. */
export function PoliciesScreen() {
  const query = useQuery(policiesQuery);
  return (
    <Screen
      title="Policies"
      about="What agents may use: all that match a request must let it pass. What each did in the last 24 hours"
      actions={
        <>
          <CopyAs path="/api/v1/policies" command="policies list" />
          <NewPolicyButton>New policy</NewPolicyButton>
        </>
      }
    >
      <ReadList
        query={query}
        label="Policies"
        rowKey={({ id }) => id}
        columns={columns}
        none={
          <EmptyState title="No policy yet" action={<NewPolicyButton>Make the first one</NewPolicyButton>}>
            A policy says which models, providers, tools, hours and amounts are allowed, and for whom. It can be tried
            on the requests of the last days, then observe without refusing anything, and hold from the next request on
            once it is enforced.
          </EmptyState>
        }
      />
      <AllExceptions of={query.data?.data ?? []} />
    </Screen>
  );
}
