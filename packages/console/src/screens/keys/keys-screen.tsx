import { formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, callApi } from '../../api/api.ts';
import type { components } from '../../api/schema.d.ts';
import { usePermissions } from '../../api/session.ts';
import { remove } from '../../changes/stored.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/feedback.tsx';
import { Labels } from '../../components/labels.tsx';
import { Card, Screen, Views } from '../../components/layout.tsx';
import { actionColumn, agoColumn, type Column, ReadList } from '../../components/list.tsx';
import { Issuer, Pill, ShortId, TimeStamp } from '../../components/values.tsx';
import { endsColumn, MakeKey, MakeSecret, madeColumn, type OnMade, SecretsCard } from './secrets.tsx';

type ApiKey = components['schemas']['ApiKey'];
type ClaimedName = components['schemas']['ClaimedName'];

/** The key that the service's configuration sets: it is changed there. */
const bootstrapName = 'bootstrap';

const listColumns = (onMade: OnMade): Column<ApiKey>[] => [
  { head: 'Name', by: ({ name }) => name, cell: ({ name }) => name },
  {
    head: 'May',
    cell: ({ scopes }) => (
      <span style={{ display: 'flex', gap: '0.25rem' }}>
        {scopes.map((scope) => (
          <Pill key={scope}>{scope}</Pill>
        ))}
      </span>
    ),
  },
  { head: 'View', cell: ({ match }) => (match === null ? <span className="dim">all</span> : <Labels of={match} />) },
  madeColumn,
  agoColumn('Last used', ({ last_used_at }) => last_used_at),
  endsColumn,
  actionColumn((key) => key.name !== bootstrapName && <KeyActions apiKey={key} onMade={onMade} />),
];

function KeysView() {
  const query = useQuery(apiQuery('/api/v1/keys'));
  return (
    <SecretsCard
      what="key"
      title="API keys"
      query={query}
      columns={listColumns}
      make={(onMade) => <MakeKey onMade={onMade} />}
    />
  );
}

function KeyActions({ apiKey, onMade }: { apiKey: ApiKey; onMade: OnMade }) {
  const { id, name } = apiKey;
  const seen = [apiKey.rotated_at ?? apiKey.created_at];
  return (
    <span style={{ display: 'inline-flex', gap: '0.375rem' }}>
      <ConfirmButton
        of={name}
        verb="Rotate"
        seen={seen}
        change={(reason, [ifMatch]) =>
          callApi('post', '/api/v1/keys/{id}/rotate', {
            params: { path: { id }, query: { reason } },
            body: { overlap_seconds: 3_600 },
            ifMatch,
          })
        }
        onDone={({ data }) => onMade(data.secret)}
      >
        It gets a new secret, which is shown once. The old one works for another hour.
      </ConfirmButton>
      <ConfirmButton
        of={name}
        verb="Delete"
        danger
        seen={seen}
        change={(reason, [ifMatch]) => remove('/api/v1/keys', id, reason, ifMatch)}
      >
        Its next call is refused, its live streams end within two seconds, and sessions that it began end.
      </ConfirmButton>
    </span>
  );
}

function NamesView() {
  const query = useQuery(apiQuery('/api/v1/claimed-names'));
  return (
    <ReadList
      query={query}
      title="Claimed names"
      label="Claimed names"
      rowKey={({ name }) => name}
      columns={[
        { head: 'Name', cell: ({ name }) => name },
        { head: 'Claimed', cell: ({ claimed_at }) => <TimeStamp at={claimed_at} /> },
        { head: 'Tokens', right: true, cell: ({ token_count }) => formatCount(token_count) },
        { head: 'Workload of', cell: ({ identity }) => identity !== null && <Issuer name={identity} /> },
        actionColumn(({ name, token_count }: ClaimedName) =>
          token_count === 0 ? <ReleaseName name={name} /> : <span className="small dim">revoke its tokens first</span>,
        ),
      ]}
      none={<EmptyState title="No name is claimed">An agent’s first token claims its name.</EmptyState>}
    />
  );
}

function ReleaseName({ name }: { name: string }) {
  const { releaseNames } = usePermissions();
  if (!releaseNames) return null;
  return (
    <ConfirmButton
      of={name}
      verb="Release"
      danger
      change={(reason) =>
        callApi('delete', '/api/v1/claimed-names/{name}', { params: { path: { name }, query: { reason } } })
      }
    >
      Any caller may use the name again, without a token.
    </ConfirmButton>
  );
}

type Token = components['schemas']['AgentToken'];

const columns: readonly Column<Token>[] = [
  { head: 'Agent', by: ({ agent_name }) => agent_name, cell: ({ agent_name }) => agent_name },
  { head: 'Id', cell: ({ id }) => <ShortId id={id} what="token id" /> },
  { head: 'Exchanged for', wide: true, cell: ({ identity }) => identity && <Issuer name={identity} /> },
  madeColumn,
  endsColumn,
  actionColumn((token) => <RevokeToken id={token.id} name={token.agent_name} />),
];

function TokensView() {
  const query = useQuery(apiQuery('/api/v1/agent-tokens'));
  return (
    <SecretsCard
      what="token"
      title="Agent tokens"
      query={query}
      columns={() => columns}
      make={(onMade) => (
        <MakeSecret
          label="Make a token"
          title="Make an agent token"
          nameLabel="Name of the agent"
          usual="365"
          change={({ name, expires_at }, reason) =>
            callApi('post', '/api/v1/agent-tokens', {
              params: { query: { reason } },
              body: { agent_name: name, expires_at },
            })
          }
          onMade={onMade}
          above={
            <div>
              <strong>The name then works only with a token</strong>: requests without one are refused from the next
              request on.
            </div>
          }
        />
      )}
      none={
        <EmptyState title="No agent token yet">
          Until a name has a token, any caller may use it. The first token claims the name: from then on it works only
          with one.
        </EmptyState>
      }
    />
  );
}

function RevokeToken({ id, name }: { id: string; name: string }) {
  return (
    <ConfirmButton
      of={`the token of ${name}`}
      verb="Revoke"
      danger
      change={(reason) => remove('/api/v1/agent-tokens', id, reason)}
    >
      Requests with it are refused from the next one on. The name stays claimed: it works only with a token.
    </ConfirmButton>
  );
}

const route = getRouteApi('/keys');
const views = {
  keys: ['API keys', KeysView, 'keys'],
  tokens: ['Agent tokens', TokensView],
  names: ['Claimed names', NamesView],
} as const;

export function KeysScreen() {
  const { view } = route.useSearch();
  const { manageTokens } = usePermissions();
  return (
    <Screen
      title="Keys and tokens"
      about="Keys open this console and the API; tokens prove to the proxy who an agent is"
    >
      {manageTokens ? (
        <Views label="Kinds of secrets" views={views} view={view} />
      ) : (
        <Card>
          <EmptyState title="Only administrators see keys and tokens">
            Whoever is signed in here may not list or make them. Sign in with a key of scope admin, or ask somebody who
            has one.
          </EmptyState>
        </Card>
      )}
    </Screen>
  );
}
