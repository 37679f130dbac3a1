import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import { callApi } from '../../api/call-api.ts';
import type { components } from '../../api/schema.d.ts';
import { Card } from '../../components/card.tsx';
import { ConfirmChange } from '../../components/confirm-change.tsx';
import { Pill } from '../../components/pill.tsx';
import { Reading } from '../../components/reading.tsx';
import { RowsTable } from '../../components/rows-table.tsx';
import { TimeAgo, TimeStamp } from '../../components/time-stamp.tsx';
import { MakeKey } from './make-key.tsx';
import { OnceSecret } from './once-secret.tsx';

type ApiKey = components['schemas']['ApiKey'];

/** The key that the service's configuration sets: it is changed there. */
const bootstrapName = 'bootstrap';

/** Keys to the API, without their secrets. */
export function KeysView() {
  const query = useQuery(apiQuery('/api/v1/keys'));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Reading query={query}>
        {({ data: keys }) => (
          <Card title="API keys" aside={<MakeKey onMade={setSecret} />} flush>
            <RowsTable
              label="API keys"
              rows={keys}
              rowKey={({ id }) => id}
              columns={[
                { head: 'Name', cell: ({ name }) => name },
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
                { head: 'Made', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
                { head: 'Last used', cell: ({ last_used_at }) => <TimeAgo at={last_used_at} /> },
                {
                  head: 'Ends',
                  cell: ({ expires_at }) =>
                    expires_at === null ? <span className="dim">never</span> : <TimeStamp at={expires_at} />,
                },
                {
                  head: 'Action',
                  silent: true,
                  right: true,
                  cell: (key) => key.name !== bootstrapName && <KeyActions apiKey={key} onMade={setSecret} />,
                },
              ]}
            />
          </Card>
        )}
      </Reading>
      {secret !== null && <OnceSecret secret={secret} what="key" onClose={() => setSecret(null)} />}
    </>
  );
}

function KeyActions({ apiKey: { id, name }, onMade }: { apiKey: ApiKey; onMade: (secret: string) => void }) {
  const [rotating, rotate] = useDisclosure();
  const [deleting, remove] = useDisclosure();
  return (
    <span style={{ display: 'inline-flex', gap: '0.375rem' }}>
      <Button size="xs" variant="default" onClick={rotate.open} aria-label={`Rotate ${name}`}>
        Rotate
      </Button>
      <Button size="xs" variant="default" onClick={remove.open} aria-label={`Delete ${name}`}>
        Delete
      </Button>
      <ConfirmChange
        title={`Rotate ${name}?`}
        verb="Rotate"
        opened={rotating}
        onClose={rotate.close}
        change={(reason) =>
          callApi('post', '/api/v1/keys/{id}/rotate', {
            params: { path: { id }, query: { reason } },
            body: { overlap_seconds: 3_600 },
          })
        }
        onDone={({ data }) => onMade(data.secret)}
      >
        It gets a new secret, which is shown once. The old one works for another hour.
      </ConfirmChange>
      <ConfirmChange
        title={`Delete ${name}?`}
        verb="Delete"
        danger
        opened={deleting}
        onClose={remove.close}
        change={(reason) => callApi('delete', '/api/v1/keys/{id}', { params: { path: { id }, query: { reason } } })}
      >
        Its next call is refused, its live streams end within two seconds, and whoever signed in with it is signed out.
      </ConfirmChange>
    </span>
  );
}
