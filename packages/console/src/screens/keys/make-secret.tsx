import { Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ExpiryChoice, type Lifetime, toExpiry } from './expiry-choice.tsx';

const longestName = 128;

interface Props {
  /** Such as `Make a key`. */
  label: string;
  title: string;
  nameLabel: string;
  nameHint?: string;
  /** How long it works unless somebody chooses. */
  usual: Lifetime;
  ready?: boolean;
  change: (
    made: { name: string; expires_at: string | null },
    reason: string | undefined,
  ) => Promise<{ data: { secret: string } }>;
  /** Takes the secret. */
  onMade: (secret: string) => void;
  /** Above and below the name. */
  above?: ReactNode;
  below?: ReactNode;
}

/** A button that makes a secret of a name that works for some time. */
export function MakeSecret({
  label,
  title,
  nameLabel,
  nameHint,
  usual,
  ready = true,
  change,
  onMade,
  above,
  below,
}: Props) {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>(usual);
  return (
    <ConfirmButton
      label={label}
      button={{ variant: 'filled' }}
      title={title}
      verb="Make it"
      ready={ready && name.trim() !== ''}
      change={(reason) => change({ name: name.trim(), expires_at: toExpiry(lifetime, Date.now()) }, reason)}
      onDone={({ data }) => {
        setName('');
        onMade(data.secret);
      }}
    >
      <Stack gap="sm">
        {above}
        <TextInput
          label={nameLabel}
          {...(nameHint !== undefined && { description: nameHint })}
          required
          maxLength={longestName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {below}
        <ExpiryChoice value={lifetime} onChange={setLifetime} />
      </Stack>
    </ConfirmButton>
  );
}
