import { Link } from '@tanstack/react-router';
import { shortenId } from '../../format/shorten-id.ts';
import { useSession } from '../../session/session-context.ts';

/** An agent by its name where that is known, with a link to it. */
export function AgentLink({ id, name }: { id: string; name?: string | null | undefined }) {
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }} title={id} className="agent-link">
      {name || <span className="mono">{shortenId(id)}</span>}
    </Link>
  );
}

/** A session; the base edition has no page of it. */
export function SessionLink({ id }: { id: string }) {
  const { edition } = useSession();
  const text = (
    <span className="mono nowrap" title={id} data-print={id}>
      <span>{shortenId(id)}</span>
    </span>
  );
  return edition === 'extended' ? (
    <Link to="/sessions/$sessionId" params={{ sessionId: id }}>
      {text}
    </Link>
  ) : (
    text
  );
}
