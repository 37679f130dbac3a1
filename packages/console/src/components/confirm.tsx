import { Button, type ButtonProps, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../api/api.ts';
import { tellChange } from '../format/format.ts';
import { tellDone } from './done.tsx';
import { FailureNotice } from './feedback.tsx';
import { Banner } from './layout.tsx';
import { useDialog } from './use-dialog.ts';

interface ConfirmProps<Result> {
  /** The question, such as `Block invoice-checker?`. */
  title: string;
  /** The words on the button that does it: a verb. */
  verb: string;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
  danger?: boolean;
  /** For a form of many fields. */
  wide?: boolean;
  /** What is shown of each thing that is to be changed, as `If-Match` takes it. */
  seen?: readonly string[];
  /**
   * @param reason for the audit log; undefined if none was given
   * @param seen that of when the dialog was opened, until somebody chooses to change what is there now
   */
  change: (reason: string | undefined, seen: readonly string[]) => Promise<Result>;
  /** What was done, in a sentence. */
  done?: string;
  /** Makes it as it was; for what can be undone. */
  undo?: (result: Result) => Promise<unknown>;
  /** Tells that somebody else changed it meanwhile, in place of the dialog, which closes. */
  onConflict?: () => void;
  /** After storage has it and the screen shows it. */
  onDone?: (result: Result) => void;
  /** Where the reason is shown besides, for what must have one. */
  shownAt?: string;
  /** False while what was entered is not complete. */
  ready?: boolean;
}

const tellState = (after: Record<string, unknown>) =>
  typeof after.version === 'number'
    ? `version ${after.version}`
    : tellChange({ action: 'agent.update', count: 1, before: null, after });

/** Longest reason that the audit log takes. */
const longestReason = 256;

/** Asks before a change: says what will happen, takes a reason for the audit log, and stays open until storage has said yes. */
function ConfirmChange<Result>(props: ConfirmProps<Result>) {
  const { title, verb, opened, onClose, children, danger = false, wide = false, shownAt } = props;
  const { change, onDone, onConflict, done = `Done: ${title.replace(/\?$/, '')}.`, undo } = props;
  const [reason, setReason] = useState('');
  const ready = props.ready !== false && (shownAt === undefined || reason.trim() !== '');
  const [shown] = useState(props.seen ?? []);
  const { mutate, isPending, error, reset } = useChange(async (seen: readonly string[]) => {
    const result = await change(reason.trim() || undefined, seen);
    // Here, since what asked may be gone once the screen has read again.
    tellDone({ text: done, undo: undo && (() => undo(result)) });
    return result;
  });
  const current = error?.current;
  const close = () => {
    if (isPending) return;
    reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size={wide ? 'xl' : 'md'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready || isPending) return;
          mutate(current ? [current.version] : shown, {
            onSuccess: (result) => {
              setReason('');
              onClose();
              onDone?.(result);
            },
            onError: (failure) => {
              if (!failure.current || !onConflict) return;
              onClose();
              onConflict();
            },
          });
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          <TextInput
            label="Reason"
            description={`${shownAt ? `Shown ${shownAt}` : 'Optional'}; kept in the audit log with your name`}
            required={shownAt !== undefined}
            maxLength={longestReason}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {current ? (
            <Banner tone="warn" role="alert">
              <strong>Somebody changed it meanwhile.</strong>{' '}
              {current.state === null ? 'It is gone.' : `Now: ${tellState(current.state)}`}
            </Banner>
          ) : (
            error && <FailureNotice error={error} />
          )}
          {error?.status === null && <div>Whether it was done is not known. Try again, or look once it answers.</div>}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={isPending}>
              {current ? 'Keep theirs' : 'Cancel'}
            </Button>
            <Button type="submit" {...(danger && { color: 'red.9' })} loading={isPending} disabled={!ready}>
              {current ? `${verb} anyway` : verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface ConfirmButtonProps<Result> extends Omit<ConfirmProps<Result>, 'opened' | 'onClose' | 'title'> {
  /** The question; `verb` and `of`, if not given. */
  title?: string;
  /** What is changed, such as an agent's name. */
  of?: string;
  /** On the button, if that is another word than `verb`. */
  label?: string;
  /** Names the button for people who cannot see its row. */
  name?: string;
  button?: Pick<ButtonProps, 'variant' | 'color' | 'size' | 'className' | 'leftSection'>;
  onOpen?: () => void;
  /** What stands behind # in an address that opens the dialog. */
  at?: string | undefined;
}

export function ConfirmButton<Result>(props: ConfirmButtonProps<Result>) {
  const { label, of, button, onOpen, at, ...asked } = props;
  const { name = of && `${asked.verb} ${of}`, title = `${name}?` } = props;
  const { opener, opened, open, close } = useDialog(at, onOpen);
  return (
    <>
      <Button
        ref={opener}
        size="xs"
        variant="default"
        {...button}
        {...(name !== undefined && { 'aria-label': name })}
        onClick={open}
      >
        {label ?? asked.verb}
      </Button>
      {opened && <ConfirmChange {...asked} title={title} opened onClose={close} />}
    </>
  );
}
