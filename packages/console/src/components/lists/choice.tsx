import { NativeSelect } from '@mantine/core';

interface Props<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  /** The words for no choice; without them there is always one. */
  none?: string;
  onChange: (value: Value | undefined) => void;
}

/** One of some values, by the browser's own control. */
export function Choice<Value extends string>({ label, value, options, none, onChange }: Props<Value>) {
  // A value that came with the address, such as a day, is kept and shown as it is.
  const isOwn = value !== undefined && !options.some((option) => option.value === value);
  const data = [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...options,
    ...(isOwn ? [{ value, label: value }] : []),
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
