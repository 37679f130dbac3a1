import { type Team, writeTeam } from '@agp/core/contracts';
import { type DecisionAction, decisionWords } from '@agp/core/events';
import { formatCount } from '@agp/core/explain';
import type { StoredPolicy } from '@agp/policy';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { policiesQuery } from '../api/api.ts';
import { useSession } from '../api/session.ts';
import { type Bound, Choice } from './filters.tsx';
import { Pill } from './values.tsx';

/** Whose a policy or budget is, where it is not the viewer's. */
export function Whose({ of: { team } }: { of: { team: Team | null } }) {
  const { match } = useSession();
  if (team !== null) return match === null && <Pill>{writeTeam(team)}</Pill>;
  return (
    match !== null && (
      <Pill title="Only somebody with the view of the whole installation changes it">of the installation</Pill>
    )
  );
}

const modeTones = { observe: 'plain', warn: 'warn', enforce: 'good' } as const;

export function PolicyMode({ mode }: { mode: keyof typeof modeTones }) {
  return <Pill tone={modeTones[mode]}>{mode}</Pill>;
}

type Hits = NonNullable<StoredPolicy['hits']>;

const actionWords: Readonly<Record<string, string>> = { refuse: 'refused', ...decisionWords };

interface HitsLinkProps {
  /** Its name. */
  policy: string;
  since: Hits['since'];
  count: number;
  rule?: string;
  /** `refuse`, or what became of recorded requests. */
  action: string;
}

/** How many requests a policy decided something of, with a link to just these. */
function HitsLink({ policy, since: from, count, rule, action }: HitsLinkProps) {
  if (count === 0) return <span className="dim">0</span>;
  if (action === 'refuse')
    return (
      <Link to="/refusals" search={{ policy, rule, from }}>
        {formatCount(count)}
      </Link>
    );
  return (
    <Link to="/events" search={{ policy, rule, decision: action as DecisionAction, from }}>
      {formatCount(count)}
    </Link>
  );
}

interface PolicyHitsProps {
  stored: StoredPolicy;
  /** Of its refusals, or by rule and what became of them. */
  of: 'refused' | 'rules';
}

/** What a policy did in the last day, each figure with a link. */
export function PolicyHits({ stored: { policy, hits }, of }: PolicyHitsProps) {
  if (hits === undefined) return null;
  const at = { policy: policy.name, since: hits.since };
  if (of === 'refused') return <HitsLink {...at} count={hits.refused} action="refuse" />;
  return hits.by.map(({ rule, action, requests }, index) => (
    <Fragment key={`${rule} ${action}`}>
      {index > 0 && ' '}
      <span className="small nowrap">
        <span className="dim">{rule}</span> <HitsLink {...at} rule={rule} action={action} count={requests} />{' '}
        {actionWords[action] ?? action}
        {index < hits.by.length - 1 && ','}
      </span>
    </Fragment>
  ));
}

/** A policy that there is, by its name. */
export function PolicyField(field: Bound) {
  const options = (useQuery(policiesQuery).data?.data ?? []).map(({ policy: { name } }) => name);
  return <Choice label="Policy" none="All" options={options} {...field} />;
}

/** In an address, in place of a policy's id or name; no name begins so. */
export const newPolicy = '_new';

/** A policy by its name, and its rule, with a link to it. */
export function DecidedBy({ policy, rule }: { policy: string; rule?: string | undefined }) {
  return (
    <>
      policy{' '}
      <Link to="/policies/$policyId" params={{ policyId: policy }}>
        {policy}
      </Link>
      {rule && `, rule ${rule}`}
    </>
  );
}
