import { Button, CloseButton } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { useChange } from '../api/api.ts';

/** What was done, in a sentence, and the change that takes it back if there is one. */
export interface Done {
  text: string;
  undo?: (() => Promise<unknown>) | undefined;
}

const listeners = new Set<() => void>();
let latest: Done | null = null;

/** Shows it until the next change, or for a while. */
export function tellDone(done: Done | null): void {
  latest = done;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Long enough to read it and to reach the button, in milliseconds. */
const shownMs = 15_000;

interface ActButtonProps {
  /** Names it for people who cannot see its row. */
  name: string;
  act: () => Promise<Done>;
  children: string;
}

/** A button that does something without asking, and says below the screen what came of it. */
export function ActButton({ name, act, children }: ActButtonProps) {
  // Told here, since the button may be gone once the screen has read again.
  const { mutate, isPending } = useChange(() => act().then(tellDone));
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={name}
      loading={isPending}
      onClick={() => mutate(undefined, { onError: ({ message }) => tellDone({ text: `Not done: ${message}` }) })}
    >
      {children}
    </Button>
  );
}

/** Says below the screen what somebody has just done. */
export function DoneNotice() {
  const done = useSyncExternalStore(subscribe, () => latest);
  const { mutate, isPending, variables } = useChange(async ({ undo }: Done) => undo?.());
  // Told once the screen has read again, even if the notice is gone by then.
  const told = {
    onSuccess: (_result: unknown, of: Done) => {
      // What was done since keeps its Undo.
      if (latest === of || !latest?.undo) tellDone({ text: 'It is as it was before.' });
    },
    onError: ({ message }: Error) => tellDone({ text: `Not undone: ${message}` }),
  };
  useEffect(() => {
    if (done === null) return undefined;
    const timer = setTimeout(() => tellDone(null), shownMs);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <div role="status" className="done-notice no-print" data-shown={done !== null}>
      {done && (
        <>
          <span>{done.text}</span>
          {done.undo && (
            <Button
              size="compact-sm"
              variant="default"
              loading={isPending && variables === done}
              onClick={() => mutate(done, told)}
            >
              Undo
            </Button>
          )}
          <CloseButton size="sm" aria-label="Close" onClick={() => tellDone(null)} />
        </>
      )}
    </div>
  );
}
