import type { Policy } from '@agp/policy';
import { dataActions, listPiiTypes, piiGroups, piiTypes } from '@agp/policy/schema';
import { Button, Group, NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import type { Schema } from './complete-policy.ts';
import { type FieldProps, type Form, nameMember, ValueField } from './form-fields.tsx';
import { valueAt } from './rewrite-text.ts';

type Data = NonNullable<Policy['pii']>;

const directions = ['request', 'response'] as const;
const wordsOf = (kind: string) => kind.replaceAll('_', ' ');

/** What a kind stands for, for people who do not know its name. */
function describeKind(kind: string): string {
  const types = listPiiTypes(kind);
  if (kind === 'all') return 'all that is found, but for names of persons';
  const described = types.slice(0, 4).map((type): string => piiTypes[type].description);
  return [...described, ...(types.length > 4 ? [`${types.length - 4} more`] : [])].join(', ');
}

/** Without what becomes of a kind in a direction; a pattern that no direction names goes too. Undefined if nothing is left. */
function without(data: Data, direction: (typeof directions)[number], kind: string): Data | undefined {
  const { [kind]: _, ...actions } = data[direction] ?? {};
  const next = { ...data, [direction]: Object.keys(actions).length > 0 ? actions : undefined };
  if (next.request === undefined && next.response === undefined) return undefined;
  const named = directions.flatMap((each) => Object.keys(next[each] ?? {}));
  const patterns = data.patterns?.filter(({ name }) => named.includes(name) || named.includes('all'));
  const isRestored = next.restore && Object.values(next.request ?? {}).includes('redact');
  return { ...next, restore: isRestored, patterns: patterns?.length ? patterns : undefined };
}

interface ActionProps {
  form: Form;
  direction: (typeof directions)[number];
  kind: string;
  onFault: (fault: string | null) => void;
}

function Action({ form, direction, kind, onFault }: ActionProps) {
  const path = ['pii', direction, kind] as const;
  const data = valueAt(form.draft, ['pii']) as Data | undefined;
  const label = `${wordsOf(kind)} in ${nameMember([direction]).toLowerCase()}`;
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      data={[{ value: '', label: '–' }, ...dataActions]}
      value={`${valueAt(form.draft, path) ?? ''}`}
      onChange={({ currentTarget: { value } }) =>
        onFault(
          value !== '' || data === undefined
            ? form.write(path, value || undefined)
            : form.write(['pii'], without(data, direction, kind)),
        )
      }
    />
  );
}

const noPattern = { name: '', pattern: '', matches: [] as string[], ignores: [] as string[] };

/** Writes one more pattern of one's own, which requests lose from then on. */
function AddPattern({ data, form, schema }: { data: Data | undefined; form: Form; schema: Schema }) {
  const [pattern, setPattern] = useState<typeof noPattern | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  if (pattern === null)
    return (
      <Button size="xs" variant="default" onClick={() => setPattern(noPattern)}>
        Add a pattern of your own
      </Button>
    );
  const add = async () => {
    const request = { ...data?.request, [pattern.name]: 'redact' as const };
    const pii = { ...data, request, patterns: [...(data?.patterns ?? []), pattern] };
    // Management alone knows whether a pattern can be searched for, and is in its examples.
    const policies = [{ ...form.draft, exceptions: undefined, pii }];
    const body = { policies, text: ' ', direction: 'request' } as never;
    const refused = await callApi('post', '/api/v1/policies/try', { body }).then(
      () => null,
      ({ message }: Error) => message.replace(/^policies\.0\.pii\.patterns\.\d+\./, ''),
    );
    const wrong = refused ?? form.write(['pii'], pii);
    setFault(wrong);
    if (wrong === null) setPattern(null);
  };
  const describe = (name: string) => schema.items?.properties?.[name]?.description ?? '';
  return (
    <fieldset>
      <legend>A pattern of your own</legend>
      <div className="grid">
        {(['name', 'pattern'] as const).map((name) => (
          <TextInput
            key={name}
            label={nameMember([name])}
            description={name === 'name' ? 'Such as customer_no' : describe(name).replaceAll('`', '')}
            maxLength={512}
            value={pattern[name]}
            onChange={(event) => setPattern({ ...pattern, [name]: event.currentTarget.value })}
          />
        ))}
        {(['matches', 'ignores'] as const).map((name) => (
          <TagsInput
            key={name}
            label={nameMember([name])}
            description={describe(name)}
            acceptValueOnBlur
            splitChars={[]}
            value={pattern[name]}
            onChange={(examples) => setPattern({ ...pattern, [name]: examples })}
          />
        ))}
      </div>
      <Group mt="sm" gap="sm">
        <Button size="xs" onClick={() => void add()}>
          Add, and redact it in requests
        </Button>
        <Button size="xs" variant="default" onClick={() => setPattern(null)}>
          Cancel
        </Button>
      </Group>
      <div className="small tone-bad" role="status">
        {fault}
      </div>
    </fieldset>
  );
}

/** What becomes of each kind of personal data, by direction, and of what stands in its place. */
export function DataFields({ form, path, schema }: FieldProps) {
  const data = valueAt(form.draft, path) as Data | undefined;
  const [added, setAdded] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const groups = Object.keys(piiGroups);
  const named = [...directions.flatMap((direction) => Object.keys(data?.[direction] ?? {})), ...added];
  const kinds = [...new Set([...groups, ...(data?.patterns ?? []).map(({ name }) => name), ...named])];
  const others = Object.keys(piiTypes).filter((type) => listPiiTypes(type).length > 0 && !kinds.includes(type));
  const drawn = (['replace_with', 'restore', 'signed'] as const).flatMap((name) => {
    const each = schema.properties?.[name];
    return each && data ? [<ValueField key={name} form={form} path={['pii', name]} schema={each} />] : [];
  });
  return (
    <Stack gap="sm" style={{ gridColumn: '1 / -1' }}>
      <table className="data-kinds">
        <thead>
          <tr>
            <th>Kind</th>
            {directions.map((direction) => (
              <th key={direction}>{nameMember([direction])}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <td>
                {wordsOf(kind)} <div className="small dim">{describeKind(kind)}</div>
              </td>
              {directions.map((direction) => (
                <td key={direction}>
                  <Action {...{ form, direction, kind }} onFault={setFault} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="small tone-bad" role="status">
        {fault}
      </div>
      <Group gap="sm" align="end">
        <NativeSelect
          size="xs"
          aria-label="Another kind"
          data={[{ value: '', label: 'Another kind …' }, ...others.map((value) => ({ value, label: wordsOf(value) }))]}
          value=""
          onChange={(event) => setAdded([...added, event.currentTarget.value])}
        />
        <AddPattern data={data} form={form} schema={schema.properties?.patterns ?? {}} />
      </Group>
      <p className="small dim">
        The narrowest name counts: email before contact, contact before all. Redact puts something in its place, block
        refuses the call, flag records alone.
      </p>
      {drawn}
    </Stack>
  );
}
