import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { callApi } from '../../api/call-api.ts';
import { ConfirmChange } from '../../components/confirm-change.tsx';
import { ExpiryChoice, type Lifetime, toExpiry } from './expiry-choice.tsx';

const scopes = ['read', 'write', 'admin'] as const;
type Scope = (typeof scopes)[number];

const meanings: Record<Scope, string> = {
  read: 'read: see everything but keys and tokens',
  write: 'write: block, pause, caps and limits',
  admin: 'admin: everything, keys and tokens too',
};
const longestName = 128;

/** Makes a key to the API. */
export function MakeKey({ onMade }: { onMade: (secret: string) => void }) {
  const [opened, dialog] = useDisclosure();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['read']);
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const ready = name.trim() !== '' && chosen.length > 0;
  return (
    <>
      <Button size="xs" onClick={dialog.open}>
        Make a key
      </Button>
      <ConfirmChange
        title="Make an API key"
        verb="Make it"
        opened={opened}
        onClose={dialog.close}
        ready={ready}
        change={(reason) =>
          callApi('post', '/api/v1/keys', {
            params: { query: { reason } },
            body: { name: name.trim(), scopes: [...chosen], expires_at: toExpiry(lifetime, Date.now()) },
          })
        }
        onDone={({ data }) => {
          setName('');
          onMade(data.secret);
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Who or what uses it"
            required
            maxLength={longestName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Checkbox.Group label="It may" value={[...chosen]} onChange={(values) => setChosen(values as Scope[])}>
            <Group gap="xs" mt={4} style={{ flexDirection: 'column', alignItems: 'start' }}>
              {scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={meanings[scope]} />
              ))}
            </Group>
          </Checkbox.Group>
          <ExpiryChoice value={lifetime} onChange={setLifetime} />
        </Stack>
      </ConfirmChange>
    </>
  );
}
