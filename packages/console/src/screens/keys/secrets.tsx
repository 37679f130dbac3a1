import { teamWordsSchema } from '@agp/core/contracts';
import { Button, Checkbox, Group, Modal, Stack, TagsInput, TextInput } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { apiQuery, callApi } from '../../api/api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Choice } from '../../components/filters.tsx';
import { type Column, ReadList } from '../../components/list.tsx';
import { CopyText, TimeStamp } from '../../components/values.tsx';

/** By the number of days. */
const lifetimes = { '30': '30 days', '90': '90 days', '365': 'A year', never: 'For ever' };
type Lifetime = keyof typeof lifetimes;

const dayMs = 86_400_000;

/** When something made now ends, ISO 8601; null for never. */
function toExpiry(lifetime: Lifetime, now: number): string | null {
  return lifetime === 'never' ? null : new Date(now + Number(lifetime) * dayMs).toISOString();
}

const longestName = 128;

interface MakeSecretProps {
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
  onMade: (secret: string) => void;
  above?: ReactNode;
  below?: ReactNode;
}

/** A button that makes a secret of a name that works for some time. */
export function MakeSecret(props: MakeSecretProps) {
  const { label, title, nameLabel, nameHint, usual, ready = true, change, onMade, above, below } = props;
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
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {below}
        <Choice
          label="Works for"
          options={lifetimes}
          value={lifetime}
          onChange={(next) => setLifetime(next ?? lifetime)}
        />
      </Stack>
    </ConfirmButton>
  );
}

const scopes = ['read', 'write', 'admin'] as const;
type Scope = (typeof scopes)[number];

const meanings: Record<Scope, string> = {
  read: 'read: see everything but keys and tokens',
  write: 'write: block, pause, caps and limits',
  admin: 'admin: everything, keys and tokens too',
};

export function MakeKey({ onMade }: { onMade: (secret: string) => void }) {
  const [chosen, setChosen] = useState<readonly Scope[]>(['read']);
  const [labels, setLabels] = useState<string[]>([]);
  const [text, setText] = useState('');
  const known = useQuery({ ...apiQuery('/api/v1/agents/labels'), staleTime: 60_000 }).data?.data ?? [];
  // One that is still typed counts: else the key would be of the whole installation.
  const words = [...labels, ...(text.trim() ? [text.trim()] : [])];
  const team = words.length === 0 ? undefined : teamWordsSchema.safeParse(words);
  return (
    <MakeSecret
      label="Make a key"
      title="Make an API key"
      nameLabel="Name"
      nameHint="Who or what uses it"
      usual="90"
      ready={chosen.length > 0 && team?.success !== false}
      change={(made, reason) =>
        callApi('post', '/api/v1/keys', {
          params: { query: { reason } },
          body: { ...made, scopes: [...chosen], match: team?.data ?? null },
        })
      }
      onMade={onMade}
      below={
        <>
          <Checkbox.Group label="It may" value={[...chosen]} onChange={(values) => setChosen(values as Scope[])}>
            <Group gap="xs" mt={4} style={{ flexDirection: 'column', alignItems: 'start' }}>
              {scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={meanings[scope]} />
              ))}
            </Group>
          </Checkbox.Group>
          <TagsInput
            label="Only the agents with"
            description="Labels such as team=search: it sees and changes these alone, for good. All agents without one"
            data={known.map(({ name, value }) => `${name}=${value}`)}
            searchValue={text}
            onSearchChange={setText}
            value={labels}
            onChange={setLabels}
            error={team?.error?.issues[0]?.message}
          />
        </>
      }
    />
  );
}

/** Shows a secret once. */
export function OnceSecret({ secret, what, onClose }: { secret: string; what: string; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The ${what} is shown only now`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <div>Copy it to where it is needed: nobody can show it again.</div>
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

/** What keys and tokens have in common. */
interface Secret {
  id: string;
  created_at: string;
  expires_at: string | null;
}

/** When it was made, and when it ends. */
export const madeColumn: Column<Secret> = {
  head: 'Made',
  wide: true,
  cell: ({ created_at }) => <TimeStamp at={created_at} />,
};
export const endsColumn: Column<Secret> = {
  head: 'Ends',
  cell: ({ expires_at }) => (expires_at === null ? <span className="dim">never</span> : <TimeStamp at={expires_at} />),
};

/** Takes a secret that was just made. */
export type OnMade = (secret: string) => void;

interface SecretsCardProps<Row> {
  /** `key` or `token`. */
  what: string;
  title: string;
  query: UseQueryResult<{ data: Row[] }, Error>;
  columns: (onMade: OnMade) => readonly Column<Row>[];
  make: (onMade: OnMade) => ReactNode;
  none?: ReactNode;
}

/** A list of secrets, without what is secret, and a way to make another, which is shown once. */
export function SecretsCard<Row extends Secret>({ what, title, query, columns, make, none }: SecretsCardProps<Row>) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <ReadList
        query={query}
        title={title}
        aside={make(setSecret)}
        label={title}
        rowKey={({ id }) => id}
        columns={columns(setSecret)}
        none={none}
      />
      {secret !== null && <OnceSecret secret={secret} what={what} onClose={() => setSecret(null)} />}
    </>
  );
}
