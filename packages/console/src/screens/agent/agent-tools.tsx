import { formatCount, toolKinds } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api.ts';
import { FailureNotice } from '../../components/feedback.tsx';
import { List } from '../../components/list.tsx';
import { Name, TimeAgo, TimeStamp } from '../../components/values.tsx';

/** Rows that are drawn at once. */
const atOnce = 10;

/** What an agent offered its models to call, and what their answers called; nothing if it has no tools. */
export function AgentTools({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    ...apiQuery('/api/v1/agents/{id}/tools', { path: { id } }),
    staleTime: 60_000,
  });
  const tools = data?.data ?? [];
  if (error) return <FailureNotice error={error} retry={refetch} />;
  if (tools.length === 0) return null;
  return (
    <List
      title="Tools"
      aside={<span className="small dim">of its latest 5,000 requests of the last 30 days</span>}
      label="Tools"
      rows={tools}
      atOnce={atOnce}
      more={100}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      columns={[
        { head: 'Tool', cell: ({ name }) => <Name>{name}</Name> },
        { head: 'Kind', cell: ({ kind }) => toolKinds[kind] ?? kind },
        { head: 'Called', right: true, cell: ({ called }) => formatCount(called) },
        { head: 'Offered', right: true, cell: ({ declared }) => formatCount(declared) },
        { head: 'First seen', cell: ({ first_seen_at }) => <TimeStamp at={first_seen_at} /> },
        { head: 'Last seen', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
      ]}
    />
  );
}
