import { Button, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import { callApi } from '../../api/call-api.ts';
import { Card } from '../../components/card.tsx';
import { ConfirmChange } from '../../components/confirm-change.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Reading } from '../../components/reading.tsx';
import { RowsTable } from '../../components/rows-table.tsx';
import { ShortId } from '../../components/short-id.tsx';
import { TimeStamp } from '../../components/time-stamp.tsx';
import { ExpiryChoice, type Lifetime, toExpiry } from './expiry-choice.tsx';
import { OnceSecret } from './once-secret.tsx';

const longestName = 128;

/** Tokens by which agents prove their names, without their secrets. */
export function TokensView() {
  const query = useQuery(apiQuery('/api/v1/agent-tokens'));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Reading query={query}>
        {({ data: tokens }) => (
          <Card title="Agent tokens" aside={<MakeToken onMade={setSecret} />} flush>
            {tokens.length === 0 ? (
              <EmptyState title="No agent token yet">
                Until a name has a token, any caller may use it. The first token claims the name: from then on it works
                only with one.
              </EmptyState>
            ) : (
              <RowsTable
                label="Agent tokens"
                rows={tokens}
                rowKey={({ id }) => id}
                columns={[
                  { head: 'Agent', cell: ({ agent_name }) => agent_name },
                  { head: 'Id', cell: ({ id }) => <ShortId id={id} what="token id" /> },
                  { head: 'Made', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
                  {
                    head: 'Ends',
                    cell: ({ expires_at }) =>
                      expires_at === null ? <span className="dim">never</span> : <TimeStamp at={expires_at} />,
                  },
                  {
                    head: 'Action',
                    silent: true,
                    right: true,
                    cell: (token) => <RevokeToken id={token.id} name={token.agent_name} />,
                  },
                ]}
              />
            )}
          </Card>
        )}
      </Reading>
      {secret !== null && <OnceSecret secret={secret} what="token" onClose={() => setSecret(null)} />}
    </>
  );
}

function RevokeToken({ id, name }: { id: string; name: string }) {
  const [opened, dialog] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" onClick={dialog.open} aria-label={`Revoke the token of ${name}`}>
        Revoke
      </Button>
      <ConfirmChange
        title={`Revoke this token of ${name}?`}
        verb="Revoke"
        danger
        opened={opened}
        onClose={dialog.close}
        change={(reason) =>
          callApi('delete', '/api/v1/agent-tokens/{id}', { params: { path: { id }, query: { reason } } })
        }
      >
        Requests with it are refused from the next one on. The name stays claimed: it works only with a token.
      </ConfirmChange>
    </>
  );
}

function MakeToken({ onMade }: { onMade: (secret: string) => void }) {
  const [opened, dialog] = useDisclosure();
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('365');
  return (
    <>
      <Button size="xs" onClick={dialog.open}>
        Make a token
      </Button>
      <ConfirmChange
        title="Make an agent token"
        verb="Make it"
        opened={opened}
        onClose={dialog.close}
        ready={name.trim() !== ''}
        change={(reason) =>
          callApi('post', '/api/v1/agent-tokens', {
            params: { query: { reason } },
            body: { agent_name: name.trim(), expires_at: toExpiry(lifetime, Date.now()) },
          })
        }
        onDone={({ data }) => {
          setName('');
          onMade(data.secret);
        }}
      >
        <Stack gap="sm">
          <div>
            <strong>The name then works only with a token</strong>: whoever uses it without one is refused from the next
            request on.
          </div>
          <TextInput
            label="Name of the agent"
            required
            maxLength={longestName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ExpiryChoice value={lifetime} onChange={setLifetime} />
        </Stack>
      </ConfirmChange>
    </>
  );
}
