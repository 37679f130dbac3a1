import {
  type Delivery,
  type MadeTarget,
  type StoredTarget,
  secretNames,
  type TargetKind,
  targetChangeSchema,
  targetKinds,
  targetSchema,
} from '@agp/alerts';
import { formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery, callApi, refreshMs, targetsQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { Changes, type DraftProps, type Kind } from '../../changes/stored.tsx';
import { ActButton } from '../../components/done.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { actionColumn, type Column, ReadList } from '../../components/list.tsx';
import { Pill, TimeStamp } from '../../components/values.tsx';
import { OnceSecret } from '../keys/secrets.tsx';
import { type Draft, DraftForm, readKinds } from './draft-form.tsx';

const asked = readKinds(targetSchema, 'kind');
const begin = (kind: string, { name, description }: Draft): Draft => ({ kind, name, description });

/** Fields for all that a target is; secrets that it has already may stay. */
function TargetForm(props: DraftProps<Draft>) {
  const { draft, isNew } = props;
  const members = asked[`${draft.kind}`] ?? {};
  const secrets = secretNames(draft.kind as TargetKind).map((name) => {
    const kept = !isNew && { description: 'Stays as it is if empty', isRequired: false };
    return [name, { ...members[name], writeOnly: true, ...kept }];
  });
  const schema = isNew ? targetSchema : targetChangeSchema;
  return (
    <>
      {isNew && (
        <p className="small dim">
          {draft.kind === 'alertmanager'
            ? 'It is told of what is open already, too, by rules that it is for.'
            : 'It is told of what comes up from now on: what is open already is not sent to it.'}
        </p>
      )}
      <DraftForm
        {...{ ...props, kinds: targetKinds, begin, seen: {}, by: 'kind', schema }}
        members={{ ...members, ...Object.fromEntries(secrets) }}
      />
    </>
  );
}

const targets: Kind<StoredTarget | MadeTarget, Draft> = {
  path: '/api/v1/notification-targets',
  noun: 'target',
  begun: begin('webhook', { name: '' }),
  read: ({ target: { host: _, ...target } }) => target,
  Form: TargetForm,
  tell: ({ name }) => `${name} is stored: test it.`,
  warn: () => 'What waits for it is dropped, and its secrets are forgotten.',
  canUndo: false,
};

async function test({ id, target: { name } }: StoredTarget) {
  const { data } = await callApi('post', '/api/v1/notification-targets/{id}/test', { params: { path: { id } } });
  const status = data.status === null ? '' : ` (status ${data.status})`;
  const said = data.delivered ? 'took a test message' : 'did not take a test message';
  return { text: `${name} ${said}${status}${data.error ? `: ${data.error}` : ''}.` };
}

/** How messages to a target fare. */
function TargetState({ of: { disabled, waiting_count, dead_count, last_error } }: { of: StoredTarget }) {
  return (
    <div className="text-cell">
      {disabled && <Pill tone="bad">disabled</Pill>} {disabled?.because}{' '}
      {waiting_count > 0 && <Pill tone="warn">{formatCount(waiting_count)} waiting</Pill>}{' '}
      {dead_count > 0 && (
        <Link to="." search={{ view: 'dead' } as never}>
          {formatCount(dead_count)} given up
        </Link>
      )}
      <div className="small">{last_error}</div>
    </div>
  );
}

const columns: readonly Column<StoredTarget>[] = [
  { head: 'Target', by: ({ target }) => target.name, cell: ({ target }) => target.name },
  { head: 'Kind', by: ({ target }) => target.kind, cell: ({ target }) => target.kind },
  {
    head: 'Where to',
    cell: ({ target: { name: _, description: __, kind: ___, default_for: ____, ...shown } }) => (
      <div className="small text-cell">
        {Object.entries(shown)
          .flatMap(([name, value]) => (name === 'monthly_costs_by' ? [] : value))
          .filter(Boolean)
          .join(', ')}
      </div>
    ),
  },
  { head: 'Default for', right: true, cell: ({ target }) => target.default_for?.join(', ') },
  {
    head: 'Monthly costs by',
    wide: true,
    cell: ({ target }) => ('monthly_costs_by' in target ? target.monthly_costs_by : ''),
  },
  { head: 'State', cell: (stored) => <TargetState of={stored} /> },
];

/** Where alerts go. */
export function TargetsView() {
  const { change, govern } = usePermissions();
  const [secret, setSecret] = useState<string | null>(null);
  const keep = (made: StoredTarget | MadeTarget) => setSecret('secret' in made ? made.secret : null);
  const actions = actionColumn((stored: StoredTarget) => (
    <>
      <ActButton name={`Test ${stored.target.name}`} act={() => test(stored)}>
        Test
      </ActButton>{' '}
      {govern && <Changes of={targets} stored={stored} />}
    </>
  ));
  return (
    <>
      <ReadList
        query={useQuery(targetsQuery)}
        title="Targets"
        label="Targets of alerts"
        aside={govern && <Changes of={targets} stored={null} onDone={keep} />}
        rowKey={({ id }) => id}
        columns={change ? [...columns, actions] : columns}
        none={
          <EmptyState title="No target yet">
            Alerts stand in the list alone: nobody is told who does not look.
          </EmptyState>
        }
      />
      {secret !== null && <OnceSecret secret={secret} what="secret" onClose={() => setSecret(null)} />}
    </>
  );
}

/** Messages that were given up, the latest hundred. */
export function DeadView() {
  const { change } = usePermissions();
  const asked = { query: { state: 'dead' as const, limit: 100 } };
  return (
    <ReadList
      query={useQuery({ ...apiQuery('/api/v1/notification-deliveries', asked), refetchInterval: refreshMs })}
      label="Messages that were given up"
      rowKey={({ id }) => id}
      columns={[
        { head: 'Message', cell: ({ title }) => <div className="text-cell">{title}</div> },
        { head: 'Says', cell: ({ occasion }) => occasion },
        { head: 'To', cell: ({ target }) => target },
        { head: 'From', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
        { head: 'Error', cell: ({ error }) => <div className="small text-cell">{error}</div> },
        actionColumn(
          ({ id, title, target }: Delivery) =>
            change && (
              <ActButton
                name={`Send again: ${title}`}
                act={async () => {
                  await callApi('post', '/api/v1/notification-deliveries/{id}/resend', { params: { path: { id } } });
                  return { text: `It is sent to ${target} again.` };
                }}
              >
                Send again
              </ActButton>
            ),
        ),
      ]}
      none={
        <EmptyState title="No message was given up">
          What a target does not take is tried for three days, and then listed here.
        </EmptyState>
      }
    />
  );
}
