import { Link } from '@tanstack/react-router';
import { Tabs, wholly } from '../../components/tabs.tsx';
import { useSession } from '../../session/session-context.ts';

/** Ways to lists of what one agent did. */
export function AgentWays({ agentId }: { agentId: string }) {
  const { edition } = useSession();
  const search = { agent_id: agentId };
  return (
    <Tabs label="More about this agent">
      <Link to="/agents/$agentId" params={{ agentId }} activeOptions={wholly}>
        Overview
      </Link>
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
    </Tabs>
  );
}
