import { Button, Menu } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sessionKey, signOut } from '../api/session.ts';
import { formatTime } from '../format/format-time.ts';
import { useSession } from '../session/session-context.ts';

/** Who is signed in, until when, and the way out. */
export function AccountMenu() {
  const { name, role, expires_at } = useSession();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      // The session itself stays in the cache: without its entry nothing would read it again.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      return queries.invalidateQueries({ queryKey: sessionKey });
    },
  });
  return (
    <Menu position="bottom-end" withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          leftSection={<IconUser size={16} aria-hidden />}
          aria-label={`Account: ${name}`}
        >
          <span className="hide-narrow" style={{ maxWidth: '10rem', overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {name}
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '0.5rem 0.75rem', maxWidth: '18rem' }} className="small">
          <strong style={{ overflowWrap: 'anywhere' }}>{name}</strong>
          <div className="dim">
            {role} · session ends {formatTime(expires_at)}
          </div>
          {error && <div className="tone-bad">{error.message}</div>}
        </div>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => mutate()} disabled={isPending}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
