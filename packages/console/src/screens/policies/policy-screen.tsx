import { type Team, toTeamPrefix } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import { changeText } from '@agp/documents/yaml';
import type { Policy, StoredPolicy } from '@agp/policy';
import { readPolicy } from '@agp/policy/yaml';
import { NativeSelect, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { policiesQuery } from '../../api/api.ts';
import { usePermissions, useSession, useView } from '../../api/session.ts';
import { later } from '../../charts/lazy-charts.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Card, Screen } from '../../components/layout.tsx';
import { newPolicy, PolicyHits, PolicyMode, Whose } from '../../components/policies.tsx';
import { Pill, ShortId, TimeAgo } from '../../components/values.tsx';
import { hasEnded, toSelector } from './describe-policy.ts';
import { Exceptions } from './exceptions.tsx';
import { useFaults } from './field-faults.ts';
import { mergeTexts } from './merge-texts.ts';
import { PolicyActions, SavePolicy } from './policy-changes.tsx';
import { PolicyForm } from './policy-form.tsx';
import { PolicyHistory } from './policy-history.tsx';
import { PolicyPreview } from './policy-preview.tsx';
import { PolicyRefusals } from './policy-refusals.tsx';
import { PolicyTry } from './policy-try.tsx';
import { textOf } from './rewrite-text.ts';
import { applyTemplate, templates } from './templates.ts';
import { ChangedMeanwhile, UnsavedGuard } from './unsaved.tsx';

/** In a task of its own: with the form's it took 56 ms of a CPU, without 36 (a trace of `bench:console`). */
const PolicyEditor = later(async () => (await import('./policy-editor.tsx')).PolicyEditor);

const begun = `name: new-policy
mode: observe # then warn, then enforce
`;

/** Of a team, for its agents and by a name that it may take. */
function beginFor(team: Team | null): string {
  if (team === null) return begun;
  const named = changeText(begun, ['name'], `${toTeamPrefix(team)}new-policy`);
  return changeText(named, ['match'], { labels: toSelector(team) });
}

const route = getRouteApi('/policies/$policyId');

/** One policy, by its id or the name that refusals and events have: its text, what it would do, and how it came to be so. */
export function PolicyScreen() {
  const { policyId } = route.useParams();
  const view = useView();
  const query = useQuery(policiesQuery);
  const policies = query.data?.data;
  const stored =
    policies?.find(({ id }) => id === policyId) ?? policies?.find(({ policy: { name } }) => name === policyId);
  const { govern } = usePermissions(stored);
  if (policyId === newPolicy)
    return (
      <Screen
        title="New policy"
        about="Once it is saved it holds from the next request on: enforced it refuses, in mode observe or warn nothing"
      >
        {govern ? (
          <Draft key={newPolicy} stored={null} />
        ) : (
          <Missing>Sign in with a key of scope admin to make one.</Missing>
        )}
      </Screen>
    );
  return (
    <Screen
      name={stored?.policy.name ?? 'Policy'}
      title={stored ? <Title stored={stored} /> : 'Policy'}
      about={
        stored && (
          <>
            {stored.policy.description && `${stored.policy.description} · `}For {describeMatch(stored.policy.match)} ·
            version {formatCount(stored.version)}, changed <TimeAgo at={stored.updated_at} />
            {stored.hits && (
              <>
                {' '}
                · last 24 hours: <PolicyHits stored={stored} of="refused" /> refused
                {stored.hits.by.length > 0 && ' ('}
                <PolicyHits stored={stored} of="rules" />
                {stored.hits.by.length > 0 && ')'}
              </>
            )}{' '}
            · <ShortId id={stored.id} what="policy id" />
          </>
        )
      }
      actions={stored && govern && <PolicyActions stored={stored} />}
    >
      <Reading query={query}>
        {() =>
          stored === undefined ? (
            <Missing>
              {view === null
                ? 'It may have been deleted or renamed: the audit log has every change.'
                : `It does not exist, or it is not in the view ${view}.`}
            </Missing>
          ) : (
            <>
              {govern ? <Draft key={stored.id} stored={stored} /> : <Shown stored={stored} />}
              <PolicyRefusals stored={stored} />
              <Exceptions stored={stored} />
              {(view === null || stored.team !== null) && <PolicyHistory stored={stored} />}
            </>
          )
        }
      </Reading>
    </Screen>
  );
}

function Title({ stored: { policy, team } }: { stored: StoredPolicy }) {
  return (
    <span className="named">
      {policy.name} <PolicyMode mode={policy.mode} /> {hasEnded(policy) && <Pill tone="warn">ended</Pill>}
      <Whose of={{ team }} />
    </span>
  );
}

function Missing({ children }: { children: string }) {
  return (
    <Card>
      <EmptyState title="There is no such policy" action={<Link to="/policies">All policies</Link>}>
        {children}
      </EmptyState>
    </Card>
  );
}

const columns = { ['--least' as string]: '26rem', alignItems: 'start' };

/** The policy as people see it who may not change it. */
function Shown({ stored }: { stored: StoredPolicy }) {
  return (
    <div className="grid" style={columns}>
      <Card title="Policy">
        <pre className="code-block">{textOf(stored)}</pre>
      </Card>
      <Stack gap="md">
        <PolicyTry policy={stored.policy as Policy} />
        <PolicyPreview policy={stored.policy as Policy} />
      </Stack>
    </div>
  );
}

/** What somebody writes, until it is stored. @param stored null for a new one */
function Draft({ stored }: { stored: StoredPolicy | null }) {
  const navigate = useNavigate();
  const [base, setBase] = useState(stored);
  const { match } = useSession();
  const own = useMemo(() => (base === null ? beginFor(match) : textOf(base)), [base, match]);
  const [text, setText] = useState(own);
  const [tab, setTab] = useState('Form');
  const [template, setTemplate] = useState('');
  const begunFrom = (name: string) =>
    name === '' ? own : applyTemplate(own, name, match === null ? '' : toTeamPrefix(match));
  const {
    policy,
    faults: [fault],
  } = useMemo(() => readPolicy(text), [text]);
  const { fault: fieldFault, tell } = useFaults();
  const wrong = fault ? `Line ${lineOf(text, fault.from)}: ${fault.message}` : fieldFault;
  const take = (next: StoredPolicy, mine = textOf(next)) => {
    setBase(next);
    setText(mine);
  };
  const isNewer = stored !== null && base !== null && stored.version > base.version;
  if (isNewer && text === own) take(stored);
  const theirs = isNewer ? textOf(stored) : own;
  return (
    <>
      <UnsavedGuard isUnsaved={text !== own} />
      {isNewer && (
        <ChangedMeanwhile
          stored={stored}
          base={own}
          theirs={theirs}
          merged={mergeTexts(own, text, theirs)}
          onMerge={(merged) => take(stored, merged)}
          onDrop={() => take(stored)}
          onKeep={() => setBase(stored)}
        />
      )}
      <div className="policy-bar">
        <SegmentedControl
          hiddenFrom="sm"
          aria-label="Change it in"
          data={['Form', 'Text']}
          value={tab}
          onChange={setTab}
        />
        <span className="small dim" role="status">
          {wrong ?? (text === own && base !== null ? 'As it is stored' : 'Not saved yet')}
        </span>
        <SavePolicy
          stored={base}
          text={text}
          policy={policy}
          isChanged={base === null || text !== own}
          wrong={wrong}
          onDone={(next) => {
            take(next);
            if (base === null)
              void navigate({ to: '/policies/$policyId', params: { policyId: next.id }, ignoreBlocker: true });
          }}
        />
      </div>
      <div className="grid policy-draft" data-shown={tab} style={columns}>
        <Card title="In a form">
          {base === null && text === begunFrom(template) && (
            <NativeSelect
              mb="sm"
              label="Begin from"
              data={[
                { value: '', label: 'Nothing' },
                ...Object.entries(templates).map(([value, { label }]) => ({ value, label })),
              ]}
              value={template}
              onChange={({ currentTarget: { value } }) => {
                setTemplate(value);
                setText(begunFrom(value));
              }}
            />
          )}
          <PolicyForm {...{ text, policy, tell }} onChange={setText} />
        </Card>
        <Stack gap="md">
          <PolicyTry policy={policy} />
          <div className="policy-text">
            <Card title="In YAML" aside={<span className="small dim">Ctrl Space completes. Comments are kept.</span>}>
              <PolicyEditor text={text} onChange={setText} height={300} />
            </Card>
          </div>
          <PolicyPreview policy={policy} />
        </Stack>
      </div>
    </>
  );
}

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;
