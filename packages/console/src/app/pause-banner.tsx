import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/call-api.ts';
import { statusQuery } from '../api/status-query.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { usePermissions } from '../session/session-context.ts';

/** On every screen while all agents are paused, so that nobody wonders. */
export function PauseBanner() {
  const { data } = useQuery(statusQuery);
  const { change } = usePermissions();
  if (!data?.data.pause?.paused) return null;
  return (
    <div className="banner no-print" role="status" style={{ marginBottom: '1rem' }}>
      <div>
        <strong>All agents are paused.</strong> Every request is answered with 503 until somebody resumes them.
      </div>
      {change && (
        <ConfirmButton
          button={{ variant: 'filled', color: 'red.9' }}
          label="Resume all agents"
          title="Resume all agents?"
          verb="Resume"
          change={(reason) =>
            callApi('put', '/api/v1/pause', { params: { query: { reason } }, body: { paused: false } })
          }
        >
          Agents that are not blocked are served again from their next request on.
        </ConfirmButton>
      )}
    </div>
  );
}
