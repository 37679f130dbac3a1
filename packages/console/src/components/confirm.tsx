import { Button, type ButtonProps, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useChange } from '../api/api.ts';
import { FailureNotice } from './feedback.tsx';

interface ConfirmProps<Result> {
  /** The question, such as `Block invoice-checker?`. */
  title: string;
  /** The words on the button that does it: a verb. */
  verb: string;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
  danger?: boolean;
  /** @param reason for the audit log; undefined if none was given */
  change: (reason: string | undefined) => Promise<Result>;
  /** After storage has it and the screen shows it. */
  onDone?: (result: Result) => void;
  /** False while what was entered is not complete. */
  ready?: boolean;
}

/** Longest reason that the audit log takes. */
const longestReason = 256;

/** Asks before a change: says what will happen, takes a reason for the audit log, and stays open until storage has said yes. */
function ConfirmChange<Result>(props: ConfirmProps<Result>) {
  const { title, verb, opened, onClose, children, danger = false, change, onDone, ready = true } = props;
  const [reason, setReason] = useState('');
  const { mutate, isPending, error, reset } = useChange(change);
  const close = () => {
    if (isPending) return;
    reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready || isPending) return;
          mutate(reason.trim() || undefined, {
            onSuccess: (result) => {
              setReason('');
              onClose();
              onDone?.(result);
            },
          });
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          <TextInput
            label="Reason"
            description="Optional; kept in the audit log with your name"
            maxLength={longestReason}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {error && <FailureNotice error={error} />}
          {error?.status === null && <div>Whether it was done is not known. Try again, or look once it answers.</div>}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={isPending}>
              Cancel
            </Button>
            <Button type="submit" {...(danger && { color: 'red.9' })} loading={isPending} disabled={!ready}>
              {verb}
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
}

export function ConfirmButton<Result>(props: ConfirmButtonProps<Result>) {
  const { label, of, button, onOpen, ...asked } = props;
  const { name = of && `${asked.verb} ${of}`, title = `${name}?` } = props;
  const [opened, dialog] = useDisclosure();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...button}
        {...(name !== undefined && { 'aria-label': name })}
        onClick={() => {
          onOpen?.();
          dialog.open();
        }}
      >
        {label ?? asked.verb}
      </Button>
      {opened && <ConfirmChange {...asked} title={title} opened onClose={dialog.close} />}
    </>
  );
}
