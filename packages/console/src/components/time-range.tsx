import { TextInput } from '@mantine/core';
import { formatDay } from '../format/format.ts';
import { addDays, findDay, isDay } from '../search/search.ts';
import { Choice, type SearchFieldProps, useText } from './filters.tsx';

/** Years are typed digit by digit: those before are not meant yet. */
const earliest = '2000-01-01';

/** @param value `YYYY-MM-DD` */
function DayField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useText(value);
  return (
    <TextInput
      label={label}
      type="date"
      size="sm"
      min={earliest}
      max="9998-12-31"
      data-shown={text === '' ? '–' : formatDay(text, 0)}
      value={text}
      onChange={(event) => {
        const given = event.currentTarget.value;
        setText(given);
        if (given >= earliest) onChange(given);
      }}
      onBlur={() => text === '' && value !== undefined && onChange(undefined)}
    />
  );
}

/** As the API takes it: `from` is in it, `to` is not. */
interface Range {
  from: string | undefined;
  to: string | undefined;
}

interface TimeRangeProps extends Range {
  label: string;
  /** Spans up to now. */
  spans: Readonly<Record<string, string>>;
  /** The words for no range; without them there is always one. */
  none?: string;
  /** The day with which a span begins, if it begins with one. */
  firstDay?: string | undefined;
  onChange: (range: Range) => void;
}

const describe = ({ from, to }: Range) =>
  [from, to].every((end) => end === undefined || isDay(end))
    ? 'Chosen days'
    : `${from ?? 'any time'} to ${to ?? 'now'}`;

/** Kept as words, so that a saved view of this month is of the month in which it is opened. */
const named = [
  { label: 'Last week (Mon–Sun)', from: 'last-week', to: 'week' },
  { label: 'This month', from: 'month', to: undefined },
  { label: 'Last month', from: 'last-month', to: 'month' },
];

/** From when to when: a span, last week, a month, or a first and a last UTC day. */
export function TimeRange({ label, spans, none, firstDay, from, to, onChange }: TimeRangeProps) {
  const known = named.find((each) => each.from === from && each.to === to);
  const isSpan = to === undefined && (from === undefined || Object.hasOwn(spans, from));
  const options: Record<string, string> = {
    ...spans,
    ...Object.fromEntries(named.map((each) => [each.from, each.label])),
    ...(!known && !isSpan && { own: describe({ from, to }) }),
  };
  const choose = (chosen: string | undefined) => {
    const range = named.find((each) => each.from === chosen);
    if (range) onChange({ from: range.from, to: range.to });
    else if (chosen !== 'own') onChange({ from: chosen, to: undefined });
  };
  const begin = from && findDay(from);
  const first = begin !== undefined && isDay(begin) ? begin : firstDay;
  return (
    <>
      <Choice
        label={label}
        {...(none !== undefined && { none })}
        options={options}
        value={known?.from ?? (isSpan ? from : 'own')}
        onChange={choose}
      />
      <DayField label="First day (UTC)" value={first} onChange={(day) => onChange({ from: day, to })} />
      <DayField
        label="Last day (UTC)"
        value={to && addDays(findDay(to), -1)}
        onChange={(day) => onChange({ from: day === undefined ? from : (first ?? from), to: day && addDays(day, 1) })}
      />
    </>
  );
}
