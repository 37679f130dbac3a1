import { readLabels } from '@agp/core/labels';
import { describeMatch, mayHold } from '@agp/documents';
import type { Policy, PolicyException, StoredPolicy } from '@agp/policy';
import { listRuleMembers } from '@agp/policy/rule-members';
import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { undone } from '../../changes/each-agent.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ActButton } from '../../components/done.tsx';
import { useSeenNames } from '../../components/known-fields.tsx';
import { actionColumn, type Column, List } from '../../components/list.tsx';
import { Pill, TimeStamp } from '../../components/values.tsx';
import { showMinute } from '../../format/format.ts';
import { groupLabels } from './describe-policy.ts';
import { putPolicy } from './policy-changes.tsx';
import { rewritePolicy, textOf } from './rewrite-text.ts';

/** A stored policy, and one of its exceptions. */
interface Excepted {
  stored: StoredPolicy;
  exception: PolicyException;
}

export const isOver = ({ until }: PolicyException) => Date.parse(until) <= Date.now();

const putExceptions = (
  stored: StoredPolicy,
  exceptions: PolicyException[],
  reason: string | undefined,
  ifMatch: string | undefined,
) => {
  const policy = { ...stored.policy, exceptions: exceptions.length > 0 ? exceptions : undefined };
  return putPolicy(stored.id, rewritePolicy(textOf(stored), policy as Policy), reason, ifMatch);
};

function EndException({ stored, exception }: Excepted) {
  const whose = describeMatch(exception.match);
  const end = async () => {
    const others = (stored.policy.exceptions ?? []).filter((each) => each !== exception);
    const { version } = await putExceptions(stored, others, undefined, `${stored.version}`);
    const undo = () => putPolicy(stored.id, textOf(stored), undone, `${version}`);
    return { text: `The rules of ${stored.policy.name} hold again for ${whose}.`, undo };
  };
  return (
    <ActButton name={`End the exception for ${whose}`} act={end}>
      End
    </ActButton>
  );
}

/** `a`, `b-*` and `team=sales`, as a policy chooses agents. */
function readMatch(parts: readonly string[]): PolicyException['match'] | null {
  const agents = parts.filter((part) => !part.includes('='));
  const pairs = parts.filter((part) => part.includes('='));
  const labels = groupLabels(pairs);
  if (parts.length === 0 || labels === null) return null;
  return { ...(agents.length > 0 && { agents }), ...(pairs.length > 0 && { labels }) };
}

/** Says so if no agent that was seen has a name or label: it may be misspelt, or yet to come. */
function Unseen({ part }: { part: string }) {
  const [label, value] = part.split(/=(.*)/s);
  const query =
    value === undefined
      ? { search: part.replace(/\*$/, '') || undefined, order: 'name' as const, limit: 200 }
      : { label: value.endsWith('*') ? label : part, limit: 200 };
  const { data, isPlaceholderData } = useQuery(apiQuery('/api/v1/agents', { query }));
  const match = readMatch([part]);
  const isSeen = data?.data.some(({ name, metadata }) =>
    mayHold(match ?? {}, name, Object.fromEntries(readLabels(metadata))),
  );
  if (match === null || data === undefined || isPlaceholderData || isSeen || data.next) return null;
  return (
    <div className="small tone-warn">
      No agent was seen {value === undefined ? `as ${part}` : `with ${part}`}: misspelt?
    </div>
  );
}

const dayMs = 86_400_000;
/** What a field of a time takes, in the viewer's zone. */
const toLocal = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

function AddException({ stored }: { stored: StoredPolicy }) {
  const [whose, setWhose] = useState<string[]>([]);
  const [text, setText] = useState('');
  const [until, setUntil] = useState('');
  const [rules, setRules] = useState<string[]>([]);
  const match = readMatch([...whose, ...(text.trim() ? [text.trim()] : [])]);
  const { agents, labels } = useSeenNames();
  const end = Date.parse(until);
  const known = listRuleMembers(stored.policy as Policy);
  return (
    <ConfirmButton
      label="Add an exception"
      title={`Let an agent past ${stored.policy.name} for a time`}
      verb="Add"
      seen={[`${stored.version}`]}
      ready={match !== null && end > Date.now()}
      shownAt="with the exception"
      onOpen={() => {
        setWhose([]);
        setText('');
        setRules([]);
        setUntil(toLocal(Date.now() + dayMs));
      }}
      change={(reason = '', [ifMatch]) => {
        const of = { match: match ?? {}, ...(rules.length > 0 && { rules }) };
        const exception = { ...of, until: new Date(end).toISOString(), reason } as PolicyException;
        return putExceptions(stored, [...(stored.policy.exceptions ?? []), exception], reason, ifMatch);
      }}
    >
      <div role="status">
        {whose.map((part) => (
          <Unseen key={part} part={part} />
        ))}
      </div>
      <TagsInput
        label="For"
        description="Agents by name, or a label such as team=sales"
        required
        data-autofocus
        data={[...new Set([...agents, ...labels])]}
        limit={50}
        maxLength={256}
        value={whose}
        onChange={setWhose}
        searchValue={text}
        onSearchChange={setText}
      />
      <TextInput
        label="Until"
        description="Then it is refused again by itself"
        type="datetime-local"
        data-shown={showMinute(until)}
        mt="sm"
        required
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <MultiSelect
        mt="sm"
        label="Rules"
        description={`All of ${known.join(', ')} if none is chosen`}
        data={known}
        value={rules}
        onChange={setRules}
      />
    </ConfirmButton>
  );
}

const columns = (mayEnd: boolean): readonly Column<Excepted>[] => [
  { head: 'For', cell: ({ exception }) => describeMatch(exception.match) },
  { head: 'Rules', cell: ({ exception }) => exception.rules?.join(', ') ?? 'all rules' },
  {
    head: 'Until',
    cell: ({ exception }) => (
      <>
        <TimeStamp at={exception.until} /> {isOver(exception) && <Pill>ended</Pill>}
      </>
    ),
  },
  { head: 'Why', cell: ({ exception }) => <div className="small text-cell">{exception.reason}</div> },
  { head: 'Allowed by', cell: ({ exception }) => exception.by ?? <span className="dim">–</span> },
  ...(mayEnd ? [actionColumn((row: Excepted) => <EndException {...row} />)] : []),
];

interface ExceptionsForProps {
  stored: StoredPolicy;
  agent: string;
  /** Of the agent. */
  labels: Readonly<Record<string, string>>;
}

/** What lets an agent past a policy at this moment, in a line each. */
export function ExceptionsFor({ stored, agent, labels }: ExceptionsForProps) {
  return (stored.policy.exceptions ?? [])
    .filter((exception) => !isOver(exception) && mayHold(exception.match, agent, labels))
    .map(({ rules, until, reason, by }) => (
      <div key={`${until} ${reason}`} className="small">
        <Pill tone="warn">exception</Pill> from {rules?.join(', ') ?? 'all its rules'} until <TimeStamp at={until} />:{' '}
        {reason} {by && <span className="dim">(by {by})</span>}
      </div>
    ));
}

/** Who is let past a policy's rules until when, and the ways to more and fewer. */
export function Exceptions({ stored }: { stored: StoredPolicy }) {
  const { govern } = usePermissions(stored);
  const rows = (stored.policy.exceptions ?? []).map((exception) => ({ stored, exception }));
  if (rows.length === 0 && !govern) return null;
  return (
    <List
      title="Exceptions"
      aside={govern && <AddException stored={stored} />}
      label="Exceptions"
      rows={rows}
      rowKey={({ exception }) => JSON.stringify(exception)}
      columns={columns(govern)}
      none={<p className="card-body dim">None: it holds for all that it matches.</p>}
    />
  );
}

const ofPolicy: Column<Excepted> = {
  head: 'Policy',
  cell: ({ stored: { id, policy } }) => (
    <Link to="/policies/$policyId" params={{ policyId: id }}>
      {policy.name}
    </Link>
  ),
};

/** Who is let past any policy now, the first to end first. */
export function AllExceptions({ of }: { of: readonly StoredPolicy[] }) {
  const rows = of.flatMap((stored) =>
    (stored.policy.exceptions ?? []).filter((each) => !isOver(each)).map((exception) => ({ stored, exception })),
  );
  if (rows.length === 0) return null;
  return (
    <List
      title="Exceptions that hold"
      label="Exceptions of all policies"
      rows={rows.toSorted((one, other) => Date.parse(one.exception.until) - Date.parse(other.exception.until))}
      rowKey={({ stored, exception }) => stored.id + JSON.stringify(exception)}
      columns={[ofPolicy, ...columns(false)]}
    />
  );
}
