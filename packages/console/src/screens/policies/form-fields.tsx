import type { Policy } from '@agp/policy';
import {
  Button,
  Checkbox,
  Chip,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { listOptions } from '../../components/filters.tsx';
import { zones } from '../../components/known-fields.tsx';
import type { Schema } from './complete-policy.ts';
import { groupLabels, toPairs } from './describe-policy.ts';
import { useTold } from './field-faults.ts';
import { type Path, valueAt } from './rewrite-text.ts';
import { readHours, type WeekHours, weekDays, writeHours } from './week-hours.ts';

/** What fields of a form share. */
export interface Form {
  draft: object;
  /** Names that were seen, by the member whose lists may have them. */
  seen: Readonly<Record<string, readonly string[]>>;
  /** @param value or, of policies, a function of what is written there @returns why it may not be so; null once the draft says it */
  write: (path: Path, value: unknown) => string | null;
  /** What is wrong with a member of a draft that says what may not be. */
  findFault?: (path: Path) => string | undefined;
  /** Learns what stands in a field and may not be. */
  tell?: (path: string, fault: string | undefined) => void;
}

export interface FieldProps {
  form: Form;
  path: Path;
  schema: Schema;
}

/** What members are called here; others go by their names. */
const words: Readonly<Record<string, string>> = {
  ...{ match: 'Who it is for', not: 'But not for', tags: 'Compliance tags' },
  ...{ allow: 'Only these', deny: 'Not these', labels: 'Labels', agents: 'Agents', providers: 'Providers' },
  ...{ max_output_tokens: 'Most tokens of output', max_input_bytes: 'Most bytes of input', over: 'Beyond the output' },
  ...{ max_cost_usd: 'Most USD of a request', client: 'Run by the agent', hosted: 'Run by the provider' },
  ...{ remote_mcp: 'Remote MCP servers', on_declared: 'Offered but denied', on_call: 'Called but denied' },
  ...{
    on: 'Tells of',
    where: 'Where it goes',
    geo: 'Processed in',
    pii: 'Personal data and secrets',
    store: 'Not kept by the provider',
    require: 'Must be asked for',
    guardrail: 'One of these guardrails',
    check: 'External check',
    request: 'Requests',
    response: 'Answers',
    thresholds: 'Yellow from, in percent',
    unreadable: 'Unreadable requests',
    running: 'Requests under way',
    refusal: 'What the agent reads',
    until: 'Ends on',
  },
  ...{ split_by: 'Whose it is', unit: 'Of', window: 'In', zone: 'Time zone', on_exceeded: 'Beyond it' },
};

export const nameMember = (path: Path): string => {
  const name = path.at(-1) as string;
  return words[name] ?? `${name[0]?.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
};

/** A member's value and the way to another; what may not be stays in its field, with the reason, until the text changes. */
function useField({ form, path }: FieldProps) {
  const value = valueAt(form.draft, path);
  const said = JSON.stringify(value);
  const [draft, setDraft] = useState<{ of: string; given: unknown; error: string }>();
  const own = draft?.of === said ? draft : undefined;
  useTold(form.tell, path, own && `${nameMember(path)}: ${own.error}`);
  return {
    value: own ? own.given : value,
    error: own?.error ?? form.findFault?.(path),
    /** @param stored what the text is to say, if that is something else @param wrong why it may not say it */
    take: (given: unknown, stored = given, wrong: string | null = null) => {
      const error = wrong ?? form.write(path, stored);
      setDraft(error === null ? undefined : { of: said, given, error: error.replace(/^[\w.]+: /, '') });
    },
  };
}

const isDay = (value: unknown) => value === undefined || /^\d{4}-\d\d-\d\d$/.test(`${value}`);

const describe = ({ description }: Schema) => description && { description: description.replaceAll('`', '') };

/** One value: of some, a number, a text, or yes or no. */
export function ValueField(props: FieldProps) {
  const { path, schema } = props;
  const { value, error, take } = useField(props);
  const field = {
    label: nameMember(path),
    ...describe(schema),
    ...(error && { error }),
    withAsterisk: schema.isRequired === true,
    ...(path[0] === 'name' && { 'data-autofocus': true }),
  };
  if (schema.enum || schema.words)
    return (
      <NativeSelect
        {...field}
        data={schema.enum ?? listOptions(schema.words ?? {})}
        disabled={schema.readOnly === true}
        value={`${value ?? schema.default}`}
        onChange={(event) => take(event.currentTarget.value)}
      />
    );
  if (schema.type === 'boolean')
    return (
      <Checkbox
        {...field}
        checked={schema.const === undefined ? (value ?? schema.default) === true : value !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          take(schema.const === undefined ? checked : checked ? schema.const : undefined)
        }
      />
    );
  if (schema.type === 'integer' || schema.type === 'number')
    return (
      <NumberInput
        {...field}
        value={typeof value === 'number' ? value : ''}
        {...(schema.default !== undefined && { placeholder: `${schema.default}` })}
        thousandSeparator=","
        hideControls
        allowNegative={false}
        allowDecimal={schema.type === 'number'}
        onChange={(given) => take(typeof given === 'number' ? given : undefined)}
      />
    );
  return (
    <TextInput
      {...field}
      type={schema.writeOnly ? 'password' : path[0] === 'until' && isDay(value) ? 'date' : 'text'}
      {...(schema.writeOnly && { autoComplete: 'new-password' })}
      maxLength={schema.maxLength ?? 64}
      value={`${value ?? ''}`}
      onChange={(event) => take(event.currentTarget.value || undefined)}
    />
  );
}

/** A list of names that is completed from what was seen, of numbers, or of labels: `team=sales`. */
export function NamesField(props: FieldProps) {
  const { form, path, schema } = props;
  const { value, error, take } = useField(props);
  const isLabels = path.at(-1) === 'labels';
  const names = Array.isArray(value) ? value.map(String) : toPairs((value ?? {}) as Record<string, string[]>);
  const of = path.findLast((name) => Object.hasOwn(form.seen, name));
  // Servers of any kind are those that are named, once some are.
  const isClosed = path.includes('remote_mcp') && valueAt(form.draft, path.slice(0, -1)) !== undefined;
  const isNone = value !== undefined || isClosed || /not|deny/.test(`${path}`);
  const change = (given: string[]) => {
    if (given.length === 0) return take(schema.default && []);
    if (!isLabels) return take(schema.items?.type === 'number' ? given.map(Number) : given);
    const labels = groupLabels(given);
    return take(given, labels, labels === null ? 'A label is such as team=sales' : null);
  };
  const field = {
    label: nameMember(path),
    ...(path.length === 1 && describe(schema)),
    ...(error && { error }),
    withAsterisk: schema.isRequired === true,
  };
  if (schema.items?.enum)
    return (
      <MultiSelect
        {...field}
        searchable
        selectFirstOptionOnChange
        data={schema.items.enum}
        value={names}
        onChange={take}
      />
    );
  return (
    <div>
      <TagsInput
        {...field}
        {...(names.length === 0 && !schema.isRequired && { placeholder: isNone ? 'none' : 'any' })}
        data={[...new Set(form.seen[of ?? ''])]}
        limit={50}
        maxLength={256}
        value={names}
        onChange={change}
      />
      {schema.type === 'array' && schema.minItems === undefined && names.length === 0 && (value || !isClosed) && (
        <Checkbox
          mt={6}
          label="None at all"
          checked={value !== undefined}
          onChange={(event) => take(event.currentTarget.checked ? [] : undefined)}
        />
      )}
    </div>
  );
}

const noHours: WeekHours = { days: [], from: '08:00', to: '18:00' };
const withDays = (ranges: readonly WeekHours[]) => ranges.filter(({ days }) => days.length > 0);

/** Days of the week, from when to when, several times a day if need be, and where. */
export function HoursFields({ form, path, schema }: FieldProps) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hours = valueAt(form.draft, ['hours']) as Policy['hours'];
  const said = readHours(hours?.allow ?? '');
  const [typed, setTyped] = useState<readonly WeekHours[]>([noHours]);
  const [zone, setZone] = useState(own);
  const [error, setError] = useState<string | null>(null);
  // As they are typed, in their order, as long as the text says the same.
  const isTyped = writeHours(readHours(writeHours(withDays(typed)))) === writeHours(said);
  const rows = isTyped ? typed : said;
  useTold(form.tell, path, isTyped && error ? `${nameMember(path)}: ${error}` : undefined);
  const shownZone = hours?.zone ?? zone;
  const write = (ranges: readonly WeekHours[], at: string) => {
    const kept = withDays(ranges);
    setError(form.write(['hours'], kept.length === 0 ? undefined : { allow: writeHours(kept), zone: at }));
  };
  const take = (next: readonly WeekHours[]) => {
    setTyped(next.length === 0 ? [noHours] : next);
    write(next, shownZone);
  };
  const change = (at: number, changed: WeekHours) => take(rows.with(at, changed));
  return (
    <>
      {rows.map((row, at) => (
        <Group key={at} gap="sm" align="end">
          <Chip.Group multiple value={[...row.days]} onChange={(days) => change(at, { ...row, days })}>
            <Group gap={6} role="group" aria-label={at === 0 ? 'Days' : `Days of hours ${at + 1}`}>
              {weekDays.map((day) => (
                <Chip key={day} value={day} size="sm">
                  {day}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="time"
              label={end === 'from' ? 'From' : 'To'}
              value={row[end]}
              onChange={(event) => change(at, { ...row, [end]: event.currentTarget.value })}
            />
          ))}
          {(rows.length > 1 || row.days.length > 0) && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Remove hours ${at + 1}`}
              onClick={() => take(rows.toSpliced(at, 1))}
            >
              Remove
            </Button>
          )}
        </Group>
      ))}
      <Group gap="sm" align="end">
        <NativeSelect
          label="Time zone"
          data={[...new Set([shownZone, own, 'UTC', ...zones])]}
          value={shownZone}
          onChange={(event) => {
            setZone(event.currentTarget.value);
            if (said.length > 0) write(rows, event.currentTarget.value);
          }}
        />
        {withDays(rows).length === rows.length && (
          <Button size="xs" variant="default" onClick={() => setTyped([...rows, noHours])}>
            More hours
          </Button>
        )}
      </Group>
      <div className="small dim" role="status">
        {error ?? (said.length === 0 ? 'No day is chosen: any time.' : schema.description)}
      </div>
    </>
  );
}
