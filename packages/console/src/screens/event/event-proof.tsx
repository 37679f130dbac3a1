import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventDetail } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Fields } from '../../components/fields.tsx';
import { Pill } from '../../components/pill.tsx';
import { ShortId } from '../../components/short-id.tsx';
import { useSession } from '../../session/session-context.ts';
import { formatPayload } from '../../verify/format-payload.ts';
import { canHash, hashLink } from '../../verify/hash-text.ts';

function Verdict({ event, computed }: { event: EventDetail; computed: string | undefined }) {
  if (!canHash()) return <Pill tone="warn">not checked: this browser hashes only on https pages and on localhost</Pill>;
  if (event.chain.previous_hash === null)
    return <Pill>not checked here: the event before it is not near. Verify the whole session.</Pill>;
  if (computed === undefined) return <Pill>computing …</Pill>;
  if (computed !== event.lineage_hash) return <Pill tone="bad">the payload does not hash to it: it was changed</Pill>;
  if (event.chain.altered.length > 0)
    return (
      <Pill tone="bad">the payload hashes to it, but other values are shown of {event.chain.altered.join(', ')}</Pill>
    );
  return <Pill tone="good">as it was written: this browser computed the same hash</Pill>;
}

/** The exact text that the event's hash covers, and the hash as this browser computes it. */
export function EventProof({ event }: { event: EventDetail }) {
  const { edition } = useSession();
  const { seq, previous_hash: previous, payload } = event.chain;
  const { data: computed } = useQuery({
    queryKey: ['hash', previous, payload],
    queryFn: () => hashLink(previous ?? '', payload),
    enabled: previous !== null && canHash(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const hash = (text: string | null | undefined, what: string) =>
    text ? <ShortId key={what} id={text} what={what} whole /> : null;
  return (
    <Card
      title="Proof"
      aside={
        edition === 'extended' && (
          <Link to="/sessions/$sessionId" params={{ sessionId: event.session_id }} hash="chain" className="small">
            Verify the whole session
          </Link>
        )
      }
    >
      <div role="status" style={{ marginBottom: '0.75rem' }}>
        <Verdict event={event} computed={computed} />
      </div>
      <Fields
        fields={[
          ['Place in the chain', seq],
          ['Hash', hash(event.lineage_hash, 'hash')],
          ['Computed here', hash(computed, 'computed hash')],
          ['Hash before it', previous === 'genesis' ? 'genesis: it is the first' : hash(previous, 'hash before it')],
          ['SHA-256 of the request', hash(event.request_sha256, 'SHA-256 of the request')],
          ['SHA-256 of the answer', hash(event.response_sha256, 'SHA-256 of the answer')],
        ]}
      />
      <details style={{ marginTop: '0.875rem' }}>
        <summary>The text that the hash covers</summary>
        <pre className="code-block" style={{ marginTop: '0.5rem' }}>
          {formatPayload(payload)}
        </pre>
      </details>
      <p className="dim small" style={{ marginBottom: 0 }}>
        * No hash covers {event.not_chained.join(', ').replaceAll('_', ' ')}: the database alone vouches for them.
      </p>
    </Card>
  );
}
