import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface Props {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Longest text that a filter takes, as the API has it. */
const longest = 256;
const pauseMs = 250;

/** A text filter that takes effect when one stops typing. */
export function SearchField({ label, placeholder, value, onChange }: Props) {
  const [text, setText] = useState(value ?? '');
  // The address may change by itself: by the browser's way back.
  useEffect(() => setText(value ?? ''), [value]);
  const tell = useDebouncedCallback((given: string) => onChange(given.trim() || undefined), pauseMs);
  return (
    <TextInput
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      maxLength={longest}
      type="search"
      size="sm"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
    />
  );
}
