import { addDays, findLastWeek, isDay } from '../../search/utc-days.ts';
import { Choice } from './choice.tsx';
import { DayField } from './day-field.tsx';

/** As the API takes it: `from` is in it, `to` is not. */
interface Range {
  from: string | undefined;
  to: string | undefined;
}

interface Props extends Range {
  label: string;
  /** Spans up to now. */
  spans: readonly { value: string; label: string }[];
  /** The words for no range; without them there is always one. */
  none?: string;
  /** The day with which a span begins, where it begins with one. */
  firstDay?: string | undefined;
  onChange: (range: Range) => void;
}

/** What no span says: whole days stand in the fields beside it, anything finer is shown as it is. */
const describe = ({ from, to }: Range) =>
  [from, to].every((end) => end === undefined || isDay(end))
    ? 'Chosen days'
    : `${from ?? 'any time'} to ${to ?? 'now'}`;

/** From when to when: a span, last week, or a first and a last UTC day. */
export function TimeRange({ label, spans, none, firstDay, from, to, onChange }: Props) {
  const week = findLastWeek();
  const isWeek = from === week.from && to === week.to;
  const isSpan = to === undefined && (from === undefined || spans.some(({ value }) => value === from));
  const options = [
    ...spans,
    { value: 'week', label: 'Last week (Mon–Sun)' },
    ...(isWeek || isSpan ? [] : [{ value: 'own', label: describe({ from, to }) }]),
  ];
  const choose = (chosen: string | undefined) => {
    if (chosen === 'week') onChange(week);
    else if (chosen !== 'own') onChange({ from: chosen, to: undefined });
  };
  const first = from !== undefined && isDay(from) ? from : firstDay;
  return (
    <>
      <Choice
        label={label}
        {...(none !== undefined && { none })}
        options={options}
        value={isWeek ? 'week' : isSpan ? from : 'own'}
        onChange={choose}
      />
      <DayField label="First day (UTC)" value={first} onChange={(day) => onChange({ from: day, to })} />
      <DayField
        label="Last day (UTC)"
        value={to && addDays(to, -1)}
        onChange={(day) => onChange({ from: day === undefined ? from : (first ?? from), to: day && addDays(day, 1) })}
      />
    </>
  );
}
