import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmChange, type ConfirmProps } from './confirm-change.tsx';

interface Props<Result> extends Omit<ConfirmProps<Result>, 'opened' | 'onClose'> {
  /** On the button, where that is another word than `verb`. */
  label?: string;
  /** Names the button for those who do not see where it stands. */
  name?: string;
  button?: Pick<ButtonProps, 'variant' | 'color' | 'size' | 'className' | 'leftSection'>;
  /** Before it asks. */
  onOpen?: () => void;
}

/** A button that asks, and then changes something. */
export function ConfirmButton<Result>({ label, name, button, onOpen, ...asked }: Props<Result>) {
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
      {opened && <ConfirmChange {...asked} opened onClose={dialog.close} />}
    </>
  );
}
