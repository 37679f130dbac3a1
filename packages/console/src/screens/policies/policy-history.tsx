import type { ListedAuditEntry } from '@agp/core/contracts';
import { writeText } from '@agp/documents/yaml';
import type { Policy, StoredPolicy } from '@agp/policy';
import { policySchema } from '@agp/policy/schema';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Diff } from '../../components/diff.tsx';
import { Reading } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { Pill, TimeStamp } from '../../components/values.tsx';
import { nameAction, nameActor } from '../../format/format.ts';
import { putPolicy } from './policy-changes.tsx';
import { rewritePolicy, textOf } from './rewrite-text.ts';

const mostChanges = 50;

/** What an entry has before or after a change, its members in the order of the schema if this version knows them. */
function writeState(state: ListedAuditEntry['before']): string {
  if (state === null || typeof state.policy !== 'object' || state.policy === null) return '';
  return writeText(policySchema.safeParse(state.policy).data ?? state.policy);
}

interface RestoreProps {
  stored: StoredPolicy;
  version: number;
  state: ListedAuditEntry['after'];
}

/** Makes an earlier version the one that holds. */
function Restore({ stored, version, state }: RestoreProps) {
  const { id, policy } = stored;
  const text = rewritePolicy(textOf(stored), state?.policy as Policy);
  return (
    <ConfirmButton
      verb="Restore"
      label={`Restore version ${version}`}
      title={`Restore version ${version} of ${policy.name}?`}
      seen={[`${stored.version}`]}
      change={(reason, [ifMatch]) => putPolicy(id, text, reason, ifMatch)}
    >
      It holds from the next request on, as version {stored.version + 1}:
      <Diff before={textOf(stored)} after={text} />
    </ConfirmButton>
  );
}

function Change({ entry, stored }: { entry: ListedAuditEntry; stored: StoredPolicy }) {
  const version = entry.after?.version;
  const { govern } = usePermissions(stored);
  return (
    <li data-kind="change">
      <div className="small">
        <TimeStamp at={entry.timestamp} />
      </div>
      <div>
        <div>
          <Pill tone={entry.action === 'policy.delete' ? 'warn' : 'plain'}>{nameAction(entry.action)}</Pill>{' '}
          {typeof version === 'number' && `version ${version}`}{' '}
          {govern && typeof version === 'number' && version < stored.version && (
            <Restore stored={stored} version={version} state={entry.after} />
          )}
        </div>
        <div className="small dim">
          by {nameActor(entry.actor)}
          {entry.reason && `: “${entry.reason}”`}
        </div>
        <Diff before={writeState(entry.before)} after={writeState(entry.after)} />
      </div>
    </li>
  );
}

/** Every version of a policy, the newest first, with what differs from the one before. */
export function PolicyHistory({ stored }: { stored: StoredPolicy }) {
  const { id } = stored;
  const query = useQuery(apiQuery('/api/v1/audit', { query: { policy_id: id, limit: mostChanges } }));
  return (
    <Card
      title="History"
      aside={
        <Link to="/audit" search={{ policy_id: id }} className="small">
          In the audit log
        </Link>
      }
    >
      <Reading query={query}>
        {({ data }) => (
          <ol className="timeline">
            {data.map((entry) => (
              <Change key={entry.id} entry={entry} stored={stored} />
            ))}
          </ol>
        )}
      </Reading>
    </Card>
  );
}
