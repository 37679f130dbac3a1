import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

interface Props {
  label: string;
  /** `YYYY-MM-DD`. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Years are typed digit by digit: those before are not meant yet. */
const earliest = '2000-01-01';

/** A UTC day, by the browser's own control; it takes effect once it is whole, or when one leaves it empty. */
export function DayField({ label, value, onChange }: Props) {
  const [text, setText] = useState(value ?? '');
  // The address may change by itself: by a choice beside it, or the browser's way back.
  useEffect(() => setText(value ?? ''), [value]);
  return (
    <TextInput
      label={label}
      type="date"
      size="sm"
      min={earliest}
      max="9998-12-31"
      value={text}
      onChange={(event) => {
        const given = event.currentTarget.value;
        setText(given);
        if (given >= earliest) onChange(given);
      }}
      onBlur={() => {
        if (text === '' && value !== undefined) onChange(undefined);
      }}
    />
  );
}
