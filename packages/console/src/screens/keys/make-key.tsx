import { Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../../api/call-api.ts';
import { MakeSecret } from './make-secret.tsx';

const scopes = ['read', 'write', 'admin'] as const;
type Scope = (typeof scopes)[number];

const meanings: Record<Scope, string> = {
  read: 'read: see everything but keys and tokens',
  write: 'write: block, pause, caps and limits',
  admin: 'admin: everything, keys and tokens too',
};

/** Makes a key to the API. */
export function MakeKey({ onMade }: { onMade: (secret: string) => void }) {
  const [chosen, setChosen] = useState<readonly Scope[]>(['read']);
  return (
    <MakeSecret
      label="Make a key"
      title="Make an API key"
      nameLabel="Name"
      nameHint="Who or what uses it"
      usual="90"
      ready={chosen.length > 0}
      change={(made, reason) =>
        callApi('post', '/api/v1/keys', { params: { query: { reason } }, body: { ...made, scopes: [...chosen] } })
      }
      onMade={onMade}
      below={
        <Checkbox.Group label="It may" value={[...chosen]} onChange={(values) => setChosen(values as Scope[])}>
          <Group gap="xs" mt={4} style={{ flexDirection: 'column', alignItems: 'start' }}>
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={meanings[scope]} />
            ))}
          </Group>
        </Checkbox.Group>
      }
    />
  );
}
