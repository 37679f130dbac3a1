import { formatCount } from '@agp/core/explain';
import type { Policy, StoredPolicy } from '@agp/policy';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { undone } from '../../changes/each-agent.ts';
import { put, remove } from '../../changes/stored.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Diff } from '../../components/diff.tsx';
import { PolicyHits } from '../../components/policies.tsx';
import { formatAgo } from '../../format/format.ts';
import { rewritePolicy, textOf } from './rewrite-text.ts';

const modes = ['observe', 'warn', 'enforce'] as const;

/** What requests meet under each mode, from the next one on. */
const meanings: Record<Policy['mode'], string> = {
  observe: 'what it does not allow goes on, and is recorded in its events.',
  warn: 'what it does not allow goes on; its agents read so in a header, and it is recorded in its events.',
  enforce: 'what it does not allow is refused (403).',
};

/** Null for more than a day. */
const tellAgo = (at: string, now = Date.now()) =>
  Date.parse(at) > now - 86_400_000 ? formatAgo(Date.parse(at), now) : null;

function SwitchMode({ stored, to }: { stored: StoredPolicy; to: Policy['mode'] }) {
  const { id, policy, hits } = stored;
  const isOn = to === 'enforce';
  const [opened, setOpened] = useState(stored);
  const [made, changed] = [tellAgo(stored.created_at), tellAgo(stored.updated_at)];
  return (
    <ConfirmButton
      title={`Switch ${policy.name} to ${to}?`}
      verb={`Switch to ${to}`}
      onOpen={() => setOpened(stored)}
      button={{ size: 'sm', ...(isOn && { variant: 'filled', color: 'indigo' }) }}
      seen={[`${stored.version}`]}
      done={`${policy.name} is switched to ${to}.`}
      undo={({ version }: StoredPolicy) => putPolicy(id, textOf(stored), undone, `${version}`)}
      change={(reason, [ifMatch]) =>
        // Anyway means over what is shown, never over what nobody has read.
        putPolicy(
          id,
          rewritePolicy(textOf(stored), { ...policy, mode: to }),
          reason,
          ifMatch === `${opened.version}` ? ifMatch : `${stored.version}`,
        )
      }
    >
      <strong>From the next request on:</strong> {meanings[to]}
      {isOn && policy.running === 'stop' && ' Running requests that it forbids end too.'}
      {opened.version !== stored.version && <Diff before={textOf(opened)} after={textOf(stored)} />}
      {hits && (
        <p style={{ marginBottom: 0 }}>
          {made ? `Since it was made, ${made},` : 'In the last 24 hours'} it refused {formatCount(hits.refused)}
          {hits.by.length > 0 && ': '}
          <PolicyHits stored={stored} of="rules" />.
          {isOn && ' What it noted it would then refuse or change; exceptions go on.'}
          {changed && changed !== made && ` It was changed ${changed}, which earlier counts do not know.`}
        </p>
      )}
    </ConfirmButton>
  );
}

/** Ways to the other modes, and to the end of a policy. */
export function PolicyActions({ stored }: { stored: StoredPolicy }) {
  const navigate = useNavigate();
  const { id, policy } = stored;
  return (
    <>
      {modes
        .filter((mode) => mode !== policy.mode)
        .map((mode) => (
          <SwitchMode key={mode} stored={stored} to={mode} />
        ))}
      <ConfirmButton
        of={policy.name}
        verb="Delete"
        danger
        button={{ size: 'sm' }}
        seen={[`${stored.version}`]}
        change={async (reason, [ifMatch]) => {
          await remove(path, id, reason, ifMatch);
          // Before the policies are read again, which takes this button away.
          await navigate({ to: '/policies', ignoreBlocker: true });
        }}
      >
        It holds for no further request{policy.mode === 'enforce' && ': what it refused is let through'}. Its history
        stays in the audit log.
      </ConfirmButton>
    </>
  );
}

const path = '/api/v1/policies';

/** Stores what a text says, and the text with its comments. @param id null makes another */
export const putPolicy = (id: string | null, text: string, reason?: string, ifMatch?: string) =>
  put<StoredPolicy>(path, id, text, reason, ifMatch);

interface SavePolicyProps {
  /** Null for a new one. */
  stored: StoredPolicy | null;
  text: string;
  /** What it says; null while it is none. */
  policy: Policy | null;
  isChanged: boolean;
  /** What is wrong first, in the text or a field, after its name; undefined if nothing is. */
  wrong: string | undefined;
  onDone: (stored: StoredPolicy) => void;
}

/** A button that stores what was written. */
export function SavePolicy({ stored, text, policy, isChanged, wrong, onDone }: SavePolicyProps) {
  const name = policy?.name ?? stored?.policy.name ?? 'the policy';
  return (
    <ConfirmButton
      of={name}
      verb="Save"
      label={wrong ? `Fix ${wrong.split(': ')[0]} to save` : 'Save'}
      button={{ size: 'sm', ...(!wrong && isChanged && { variant: 'filled', color: 'indigo' }) }}
      ready={wrong === undefined && isChanged}
      {...(stored !== null && { seen: [`${stored.version}`] })}
      change={(reason, [ifMatch]) => putPolicy(stored?.id ?? null, text, reason, ifMatch)}
      // The page behind shows both texts.
      onConflict={() => undefined}
      onDone={onDone}
    >
      {wrong ?? (policy && isChanged ? `From the next request on: ${meanings[policy.mode]}` : 'Nothing was changed.')}
    </ConfirmButton>
  );
}
