import { formatCount } from '@agp/core/explain';
import type { StoredPolicy } from '@agp/policy';
import { Button, Group, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Diff } from '../../components/diff.tsx';

/** Asks before a text that was not saved is left. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      What you wrote is kept nowhere else.
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={proceed}>
          Leave, and drop it
        </Button>
        <Button onClick={reset} data-autofocus>
          Stay
        </Button>
      </Group>
    </Modal>
  );
}

interface ChangedMeanwhileProps {
  stored: StoredPolicy;
  /** The text that was begun with, and that of now. */
  base: string;
  theirs: string;
  /** Null if one change excludes the other. */
  merged: string | null;
  onMerge: (text: string) => void;
  onDrop: () => void;
  onKeep: () => void;
}

/** What somebody else has saved while one wrote, and the ways on: nothing is saved before one is chosen. */
export function ChangedMeanwhile({ stored, base, theirs, merged, onMerge, onDrop, onKeep }: ChangedMeanwhileProps) {
  return (
    <section className="card card-body" aria-label="Changed meanwhile">
      <div className="banner" data-tone="warn" role="alert" style={{ margin: '0.75rem 0' }}>
        <div>
          <strong>It was changed to version {formatCount(stored.version)} meanwhile.</strong>{' '}
          {merged === null
            ? 'Both changed the same or neighbouring lines: choose one, then mend it below.'
            : 'You changed other lines, so both can be kept.'}
        </div>
        {merged !== null && (
          <Button size="xs" onClick={() => onMerge(merged)}>
            Take both
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onDrop}>
          Drop mine
        </Button>
        <Button size="xs" variant="default" onClick={onKeep}>
          Keep mine alone
        </Button>
      </div>
      <Diff before={base} after={theirs} />
    </section>
  );
}
