import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context.ts';

/** Links to lists of what one agent did: screens of their own, so these are no tabs. */
export function AgentWays({ agentId }: { agentId: string }) {
  const { edition } = useSession();
  const search = { agent_id: agentId };
  return (
    <nav className="ways no-print" aria-label="More about this agent">
      <span className="dim">More of it:</span>
      <Link to="/events" search={search}>
        Events
      </Link>
      <Link to="/live" search={search}>
        Live
      </Link>
      {edition === 'extended' && (
        <Link to="/sessions" search={search}>
          Sessions
        </Link>
      )}
      <Link to="/refusals" search={search}>
        Refusals
      </Link>
      <Link to="/costs" search={search}>
        Costs
      </Link>
      <Link to="/audit" search={search}>
        Audit log
      </Link>
    </nav>
  );
}
