import type { Policy } from '@agp/policy';
import { dataActions, listPiiTypes, piiGroups, piiTypes } from '@agp/policy/schema';
import { Button, Group, NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { callApi } from '../../api/api.ts';
import { useTold } from './field-faults.ts';
import { type FieldProps, type Form, nameMember, ValueField } from './form-fields.tsx';
import { valueAt } from './rewrite-text.ts';

/** As it is written: what holds unsaid may be missing. */
type Data = Partial<NonNullable<Policy['pii']>>;

const directions = ['request', 'response'] as const;
const wordsOf = (kind: string) => kind.replaceAll('_', ' ');

/** What a kind stands for, for people who do not know its name. */
function describeKind(kind: string): string {
  const types = listPiiTypes(kind);
  if (kind === 'all') return 'all that is found, but for names of persons';
  const described = types.slice(0, 4).map((type): string => piiTypes[type].description);
  return [...described, ...(types.length > 4 ? [`${types.length - 4} more`] : [])].join(', ');
}

const isEmpty = (actions: object = {}) => Object.keys(actions).length === 0;

/** What may be written of a rule, undefined if that is nothing, and what waits until it may be; patterns that no direction names go. */
function settle({ request = {}, response = {}, patterns = [], ...said }: Data, kept: Data): [object | undefined, Data] {
  const settings = { ...kept, ...said };
  const named = Object.keys({ ...request, ...response });
  if (named.length === 0) return [undefined, settings];
  const used = patterns.filter(({ name }) => named.includes(name) || named.includes('all'));
  const isReplaced = Object.values(request).includes('redact') && (settings.replace_with ?? 'label') === 'label';
  const waits: Data = settings.restore && !isReplaced ? { restore: true } : {};
  const all = { request, response, ...settings, ...(waits.restore && { restore: undefined }), patterns: used };
  const held = Object.entries(all).filter(([, each]) => typeof each !== 'object' || !isEmpty(each));
  return [Object.fromEntries(held), waits];
}

/** A rule in which something else becomes of a kind. @param action '' takes it out */
const choose = (data: Data, direction: (typeof directions)[number], kind: string, action: string): Data => {
  const { [kind]: _, ...others } = data[direction] ?? {};
  return { ...data, [direction]: action === '' ? others : { ...data[direction], [kind]: action } };
};

const noPattern = { name: '', pattern: '', matches: [] as string[], ignores: [] as string[] };

/** What each field of a pattern takes, and what is said if it does not. */
const asked = {
  name: ['Such as customer_no', 'Its name: small letters, digits and _, first a letter.'],
  pattern: [
    'In the syntax of RE2; found within words too, in its own case without (?i)',
    'Write the pattern to be found.',
  ],
  matches: ['One example a line that it must find', 'Give an example that it must find.'],
  ignores: ['One example a line that it must not find', 'Give an example that it must not find.'],
} as const;

/** Writes one more pattern of one's own, which requests lose from then on. */
function AddPattern({ form, rewrite }: { form: Form; rewrite: (change: (data: Data) => Data) => string | null }) {
  const [pattern, setPattern] = useState<typeof noPattern | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isChecked, setChecked] = useState(false);
  useTold(form.tell, ['patterns'], pattern?.name ? 'Pattern: add it, or cancel it' : undefined);
  if (pattern === null)
    return (
      <Button size="xs" variant="default" onClick={() => setPattern(noPattern)}>
        Add a pattern of your own
      </Button>
    );
  const add = async () => {
    const fields = Object.keys(asked) as (keyof typeof asked)[];
    const missing = fields.find(
      (each) => pattern[each].length === 0 || (each === 'name' && !/^[a-z][a-z0-9_]*$/.test(pattern.name)),
    );
    if (missing) return setFault(asked[missing][1]);
    const addTo = (data: Data) =>
      choose({ ...data, patterns: [...(data.patterns ?? []), pattern] } as Data, 'request', pattern.name, 'redact');
    const pii = addTo((valueAt(form.draft, ['pii']) ?? {}) as Data);
    // Management alone knows whether a pattern can be searched for, and is in its examples.
    const policies = [{ ...form.draft, exceptions: undefined, pii }];
    const body = { policies, text: ' ', direction: 'request' } as never;
    setChecked(true);
    const refused = await callApi('post', '/api/v1/policies/try', { body }).then(
      () => null,
      ({ message }: Error) => message.replace(/^policies\.0\.(?:pii\.patterns\.\d+\.)?/, ''),
    );
    const wrong = refused ?? rewrite(addTo);
    setChecked(false);
    setFault(wrong);
    if (wrong === null) setPattern(null);
  };
  return (
    <fieldset disabled={isChecked}>
      <legend>A pattern of your own</legend>
      <div className="grid">
        {(['name', 'pattern'] as const).map((name) => (
          <TextInput
            key={name}
            label={nameMember([name])}
            description={asked[name][0]}
            maxLength={512}
            value={pattern[name]}
            onChange={(event) => setPattern({ ...pattern, [name]: event.currentTarget.value })}
          />
        ))}
        {(['matches', 'ignores'] as const).map((name) => (
          <TagsInput
            key={name}
            label={nameMember([name])}
            description={asked[name][0]}
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
  const kept = useRef<Data>({});
  const rewrite = (change: (data: Data) => Data) => {
    let waits: Data = {};
    const wrong = form.write(path, (written: Data = {}) => {
      const [next, other] = settle(change(written), kept.current);
      waits = other;
      return next;
    });
    if (wrong === null) kept.current = waits;
    return wrong;
  };
  const take = (direction: (typeof directions)[number], kind: string, action: string) => {
    // A member alone leaves the comments beside it.
    const isAlone = action !== '' && isEmpty(kept.current) && form.write(['pii', direction, kind], action) === null;
    setFault(isAlone ? null : rewrite((written) => choose(written, direction, kind, action)));
  };
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
                  <NativeSelect
                    size="xs"
                    aria-label={`${wordsOf(kind)} in ${nameMember([direction]).toLowerCase()}`}
                    data={[{ value: '', label: '–' }, ...dataActions]}
                    value={data?.[direction]?.[kind] ?? ''}
                    onChange={(event) => take(direction, kind, event.currentTarget.value)}
                  />
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
        <AddPattern {...{ form, rewrite }} />
      </Group>
      <p className="small dim">
        The narrowest name counts: email before contact, contact before all. Redact puts something in its place, block
        refuses the call, flag records alone.
      </p>
      {drawn}
      {kept.current.restore && (
        <p className="small tone-warn">Restore is off until a kind is redacted in requests, and labels replace it.</p>
      )}
    </Stack>
  );
}
