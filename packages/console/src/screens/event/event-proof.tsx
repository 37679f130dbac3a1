import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EventDetail } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Fields } from '../../components/values/fields.tsx';
import { CopyText, ShortId } from '../../components/values/short-id.tsx';
import { useSession } from '../../session/session-context.ts';
import { canHash, hashLink } from '../../verify/hash-text.ts';

/** What is said of the hash, and in which tone. */
function judge(event: EventDetail, computed: string | undefined): { tone: 'good' | 'warn' | 'bad'; text: string } {
  const { previous_hash: previous, altered } = event.chain;
  if (!canHash())
    return { tone: 'warn', text: 'Not checked: this browser hashes only on https pages and on localhost.' };
  if (previous === null)
    return { tone: 'warn', text: 'Not checked here: the event before it is not near. Verify the whole session.' };
  if (computed === undefined) return { tone: 'warn', text: 'Computing …' };
  if (computed !== event.lineage_hash)
    return { tone: 'bad', text: 'It was changed: the payload does not hash to what was recorded.' };
  if (altered.length > 0)
    return { tone: 'bad', text: `The payload hashes to it, but other values are shown of ${altered.join(', ')}.` };
  return { tone: 'good', text: 'As it was written: this browser computed the same hash.' };
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
  const verdict = judge(event, computed);
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
      <div role="status" className="banner" data-tone={verdict.tone} style={{ marginBottom: '0.75rem' }}>
        <strong>{verdict.text}</strong>
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
          {payload}
        </pre>
        <CopyText text={payload} what="the text that the hash covers" />
      </details>
      <p className="dim small" style={{ marginBottom: 0 }}>
        * No hash covers {event.not_chained.join(', ').replaceAll('_', ' ')}: the database alone vouches for them.
      </p>
    </Card>
  );
}
