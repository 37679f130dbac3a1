import { useDisclosure } from '@mantine/hooks';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * A dialog and the button that opens it, which has the focus again afterwards.
 *
 * @param at what stands behind # in an address that opens it, too
 */
export function useDialog(at?: string, onOpen?: () => void) {
  const opener = useRef<HTMLButtonElement>(null);
  const [opened, dialog] = useDisclosure(false, { onClose: () => opener.current?.focus() });
  const navigate = useNavigate();
  const isCalled = useLocation({ select: ({ hash }) => at !== undefined && hash === at });
  const open = () => {
    onOpen?.();
    dialog.open();
  };
  useEffect(() => {
    if (!isCalled) return;
    open();
    void navigate({ to: '.', hash: '', search: true, replace: true });
  });
  return { opener, opened, open, close: dialog.close };
}
