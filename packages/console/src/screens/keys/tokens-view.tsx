import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api-query.ts';
import { callApi } from '../../api/call-api.ts';
import type { components } from '../../api/schema.d.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Column } from '../../components/lists/rows-table.tsx';
import { ShortId } from '../../components/values/short-id.tsx';
import { MakeSecret } from './make-secret.tsx';
import { endsColumn, madeColumn, SecretsCard } from './secrets-card.tsx';

type Token = components['schemas']['AgentToken'];

const columns: readonly Column<Token>[] = [
  { head: 'Agent', cell: ({ agent_name }) => agent_name },
  { head: 'Id', cell: ({ id }) => <ShortId id={id} what="token id" /> },
  madeColumn,
  endsColumn,
  {
    head: 'Action',
    silent: true,
    right: true,
    cell: (token) => <RevokeToken id={token.id} name={token.agent_name} />,
  },
];

/** Tokens by which agents prove their names, without their secrets. */
export function TokensView() {
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
              <strong>The name then works only with a token</strong>: whoever uses it without one is refused from the
              next request on.
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
      name={`Revoke the token of ${name}`}
      title={`Revoke this token of ${name}?`}
      verb="Revoke"
      danger
      change={(reason) =>
        callApi('delete', '/api/v1/agent-tokens/{id}', { params: { path: { id }, query: { reason } } })
      }
    >
      Requests with it are refused from the next one on. The name stays claimed: it works only with a token.
    </ConfirmButton>
  );
}
