import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api-query.ts';
import { callApi } from '../../api/call-api.ts';
import type { components } from '../../api/schema.d.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Column } from '../../components/lists/rows-table.tsx';
import { Pill } from '../../components/values/pill.tsx';
import { TimeAgo } from '../../components/values/time-stamp.tsx';
import { MakeKey } from './make-key.tsx';
import { endsColumn, madeColumn, type OnMade, SecretsCard } from './secrets-card.tsx';

type ApiKey = components['schemas']['ApiKey'];

/** The key that the service's configuration sets: it is changed there. */
const bootstrapName = 'bootstrap';

const listColumns = (onMade: OnMade): Column<ApiKey>[] => [
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
  madeColumn,
  { head: 'Last used', cell: ({ last_used_at }) => <TimeAgo at={last_used_at} /> },
  endsColumn,
  {
    head: 'Action',
    silent: true,
    right: true,
    cell: (key) => key.name !== bootstrapName && <KeyActions apiKey={key} onMade={onMade} />,
  },
];

/** Keys to the API, without their secrets. */
export function KeysView() {
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

function KeyActions({ apiKey: { id, name }, onMade }: { apiKey: ApiKey; onMade: OnMade }) {
  return (
    <span style={{ display: 'inline-flex', gap: '0.375rem' }}>
      <ConfirmButton
        name={`Rotate ${name}`}
        title={`Rotate ${name}?`}
        verb="Rotate"
        change={(reason) =>
          callApi('post', '/api/v1/keys/{id}/rotate', {
            params: { path: { id }, query: { reason } },
            body: { overlap_seconds: 3_600 },
          })
        }
        onDone={({ data }) => onMade(data.secret)}
      >
        It gets a new secret, which is shown once. The old one works for another hour.
      </ConfirmButton>
      <ConfirmButton
        name={`Delete ${name}`}
        title={`Delete ${name}?`}
        verb="Delete"
        danger
        change={(reason) => callApi('delete', '/api/v1/keys/{id}', { params: { path: { id }, query: { reason } } })}
      >
        Its next call is refused, its live streams end within two seconds, and whoever signed in with it is signed out.
      </ConfirmButton>
    </span>
  );
}
