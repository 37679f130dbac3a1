import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/call-api.ts';
import { statusQuery } from '../api/status-query.ts';
import { ConfirmChange } from '../components/confirm-change.tsx';
import { usePermissions } from '../session/session-context.ts';

/** On every screen while all agents are paused, so that nobody wonders. */
export function PauseBanner() {
  const { data } = useQuery(statusQuery);
  const { change } = usePermissions();
  const [opened, dialog] = useDisclosure();
  if (!data?.data.pause?.paused) return null;
  return (
    <div className="banner no-print" role="status" style={{ marginBottom: '1rem' }}>
      <div>
        <strong>All agents are paused.</strong> Every request is answered with 503 until somebody resumes them.
      </div>
      {change && (
        <Button size="xs" color="red.9" onClick={dialog.open}>
          Resume all agents
        </Button>
      )}
      <ConfirmChange
        title="Resume all agents?"
        verb="Resume"
        opened={opened}
        onClose={dialog.close}
        change={(reason) => callApi('put', '/api/v1/pause', { params: { query: { reason } }, body: { paused: false } })}
      >
        Agents that are not blocked are served again from their next request on.
      </ConfirmChange>
    </div>
  );
}
