import { formatDuration } from '@agp/core/explain';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Choice } from '../components/filters.tsx';
import { useNow } from '../components/values.tsx';
import { findNextMorning, formatLocalTime, showMinute } from '../format/format.ts';

const hourMs = 3_600_000;

/** When a block or a silence is to end by itself, in the viewer's zone, and the fields that ask for it. @param none what holds without an end */
export function useBlockUntil(none = 'Until somebody unblocks it') {
  const now = useNow();
  const [choice, setChoice] = useState<'hour' | 'morning' | 'own' | undefined>(undefined);
  const [own, setOwn] = useState('');
  const ends = { hour: new Date(now + hourMs), morning: findNextMorning(now), own: new Date(own) };
  const end = choice && ends[choice];
  const isComing = end !== undefined && end.getTime() > now;
  const inTime = (time: Date) => `in ${formatDuration(time.getTime() - now)}`;
  const fields = (
    <>
      <Choice
        label="For how long"
        none={none}
        options={{ hour: 'For one hour', morning: `Until 08:00, ${inTime(ends.morning)}`, own: 'Until a time' }}
        value={choice}
        onChange={setChoice}
      />
      {choice === 'own' && (
        <TextInput
          label="Until"
          type="datetime-local"
          data-shown={showMinute(own)}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
          required
        />
      )}
      {isComing && (
        <div>
          It ends by itself at <strong>{formatLocalTime(end.toISOString(), now).slice(0, -3)}</strong>, {inTime(end)}.
        </div>
      )}
    </>
  );
  return {
    fields,
    reset: () => setChoice(undefined),
    ready: choice === undefined || isComing,
    /** When the block ends by itself; undefined if somebody is to end it. */
    end: isComing ? end.toISOString() : undefined,
  };
}
