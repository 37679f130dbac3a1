import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useState } from 'react';

/** Values with the words for them, or names that are their own words, in their order. */
export type Options<Value extends string = string> = Readonly<Record<Value, string>> | readonly Value[];

/** As the browser's own control takes them. */
export const listOptions = (of: Options): { value: string; label: string }[] =>
  Array.isArray(of)
    ? of.map((name) => ({ value: name, label: name }))
    : Object.entries(of).map(([value, label]) => ({ value, label }));

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: Options<Value>;
  /** The words for no choice; without them there is always one. */
  none?: string;
  onChange: (value: Value | undefined) => void;
}

/** One of some values, by the browser's own control. */
export function Choice<Value extends string>({ label, value, options, none, onChange }: ChoiceProps<Value>) {
  const offered = listOptions(options);
  // A value that came with the address, such as a day, is kept and shown as it is.
  const isOwn = value !== undefined && !offered.some((option) => option.value === value);
  const data = [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...offered,
    ...(isOwn ? listOptions([value]) : []),
  ];
  return (
    <NativeSelect
      label={label}
      size="sm"
      data={data}
      value={value ?? ''}
      onChange={(event) => onChange((event.currentTarget.value || undefined) as Value | undefined)}
    />
  );
}

/** What is typed, until the address changes by itself: by a chip, a choice beside it, a link, or the browser's way back. */
export function useText(value: string | undefined) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  return [text, setText] as const;
}

/** Fields that narrow a list; on a phone they fold behind a button. */
export function Filters({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="filters fold no-print" data-open={isOpen}>
      <Button
        variant="default"
        className="fold-button"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Filters
      </Button>
      <div className="filters">{children}</div>
    </div>
  );
}

/** What a field's `list` names. */
export const Suggestions = ({ id, of }: { id: string; of: readonly Suggestion[] }) => (
  <datalist id={id}>
    {of.map(([value, count]) => (
      <option key={value} value={value} label={count && `${value} · ${count}`} />
    ))}
  </datalist>
);

/** A value, and how many have it, such as `12 agents`. */
export type Suggestion = readonly [value: string, count?: string];

export interface SearchFieldProps {
  label: string;
  placeholder?: string;
  /** Values that there are. */
  options?: readonly Suggestion[] | undefined;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter's value and the way to change it, as `bind` of `useFilters` gives them. */
export type Bound = Pick<SearchFieldProps, 'value' | 'onChange'>;

interface FlagFieldProps {
  label: string;
  value: boolean | undefined;
  onChange: (value: true | undefined) => void;
}

/** What holds or does not. */
export const FlagField = ({ label, value = false, onChange }: FlagFieldProps) => (
  <Checkbox
    label={label}
    checked={value}
    onChange={(event) => onChange(event.currentTarget.checked || undefined)}
    mb={8}
  />
);

/** Longest text that a filter takes, as the API has it. */
export const longest = 256;
export const pauseMs = 250;

/** A text filter that takes effect when one stops typing. */
export function SearchField({ label, placeholder, options = [], value, onChange }: SearchFieldProps) {
  const list = useId();
  const [text, setText] = useText(value);
  const tell = useDebouncedCallback((given: string) => onChange(given.trim() || undefined), pauseMs);
  return (
    <>
      <TextInput
        label={label}
        {...(placeholder !== undefined && { placeholder })}
        maxLength={longest}
        type="search"
        size="sm"
        list={list}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          tell(event.currentTarget.value);
        }}
      />
      <Suggestions id={list} of={options} />
    </>
  );
}
