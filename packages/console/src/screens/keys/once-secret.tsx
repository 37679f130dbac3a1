import { Button, Modal, Stack } from '@mantine/core';
import { CopyText } from '../../components/values/short-id.tsx';

/** Shows a secret once: afterwards only its digest exists. */
export function OnceSecret({ secret, what, onClose }: { secret: string; what: string; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The ${what} is shown only now`}
      centered
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <div>Copy it to where it is needed. Only its digest is stored: nobody can show it again.</div>
        <div className="code-block" style={{ display: 'flex', gap: '0.5rem', alignItems: 'start' }}>
          <span data-testid="secret" style={{ flex: 1, overflowWrap: 'anywhere' }}>
            {secret}
          </span>
          <CopyText text={secret} what={what} />
        </div>
        <Button onClick={onClose} data-autofocus>
          I have copied it
        </Button>
      </Stack>
    </Modal>
  );
}
