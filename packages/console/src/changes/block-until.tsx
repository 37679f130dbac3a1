import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Choice } from '../components/filters.tsx';

const hourMs = 3_600_000;

function findTomorrowMorning(): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8);
}

const ends = [
  { value: 'hour', label: 'For one hour' },
  { value: 'morning', label: 'Until tomorrow, 08:00' },
  { value: 'own', label: 'Until a time' },
] as const;

/** When a block is to end by itself, in the viewer's zone, and the fields that ask for it. */
export function useBlockUntil() {
  const [choice, setChoice] = useState<(typeof ends)[number]['value'] | undefined>(undefined);
  const [own, setOwn] = useState('');
  const chosen = new Date(own);
  const isOwn = choice === 'own';
  const fields = (
    <>
      <Choice
        label="For how long"
        none="Until somebody unblocks it"
        options={ends}
        value={choice}
        onChange={setChoice}
      />
      {isOwn && (
        <TextInput
          label="Until"
          type="datetime-local"
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
          required
        />
      )}
    </>
  );
  return {
    fields,
    reset: () => setChoice(undefined),
    ready: !isOwn || chosen.getTime() > Date.now(),
    /** Undefined if somebody is to end it. */
    findEnd: (): string | undefined =>
      ({
        hour: () => new Date(Date.now() + hourMs).toISOString(),
        morning: () => findTomorrowMorning().toISOString(),
        own: () => chosen.toISOString(),
        none: () => undefined,
      })[choice ?? 'none'](),
  };
}
