import { Stack } from '@mantine/core';
import { useEffect } from 'react';
import { z } from 'zod';
import type { DraftProps } from '../../changes/stored.tsx';
import type { Schema } from '../policies/complete-policy.ts';
import { useFaults } from '../policies/field-faults.ts';
import { type Form, ValueField } from '../policies/form-fields.tsx';
import { Member } from '../policies/policy-form.tsx';
import { valueAt } from '../policies/rewrite-text.ts';

/** A rule or target as far as it is written. */
export type Draft = Readonly<Record<string, unknown>> & { name: string };
type Members = Readonly<Record<string, Schema>>;

/** The members of each kind of a rule or target. @param by the member that says the kind */
export function readKinds(schema: z.ZodType, by: string): Readonly<Record<string, Members>> {
  const { $defs = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const kinds = Object.values($defs).map(({ properties = {}, required = [] }) =>
    Object.entries(properties as Members).map(
      ([name, each]) => [name, { ...each, isRequired: required.includes(name) }] as const,
    ),
  );
  return Object.fromEntries(kinds.map(Object.fromEntries).map((members) => [members[by]?.const, members]));
}

interface DraftFormProps extends DraftProps<Draft> {
  /** The member that says the kind, and what each means. */
  by: string;
  kinds: Readonly<Record<string, { means: string }>>;
  begin: (kind: string, before: Draft) => Draft;
  schema: z.ZodType;
  members: Members;
  seen: Form['seen'];
}

/** In this order; what a kind alone has stands between. */
const first = ['name', 'description'];
const last = ['match', 'severity', 'targets', 'quiet_minutes', 'enabled'];

/** Changed by a button of its own. */
const elsewhere = ['silences'];

const rewrite = (of: object, [name = '', ...inside]: readonly string[], value: unknown): object => ({
  ...of,
  [name]: inside.length === 0 ? value : rewrite((valueAt(of, [name]) ?? {}) as object, inside, value),
});

/** Fields for all that a rule or target of a kind has. */
export function DraftForm(props: DraftFormProps) {
  const { draft, onChange, onReady, isNew, by, kinds, begin, schema, members, seen } = props;
  const faults = schema.safeParse(draft).error?.issues;
  const { fault: fieldFault, tell } = useFaults();
  const ready = faults === undefined && fieldFault === undefined;
  useEffect(() => onReady(ready), [ready, onReady]);
  const form: Form = {
    draft,
    seen,
    tell,
    write(path, value) {
      onChange(path[0] === by ? begin(`${value}`, draft) : (rewrite(draft, path, value) as Draft));
      return null;
    },
    findFault: (path) =>
      valueAt(draft, path)
        ? faults?.find((fault) => path.every((name, at) => fault.path[at] === name))?.message
        : undefined,
  };
  const own = Object.keys(members).filter((name) => ![...first, ...last, ...elsewhere, by].includes(name));
  const draw = (names: readonly string[]) =>
    names.map((name) => members[name] && <Member key={name} form={form} path={[name]} schema={members[name]} />);
  const words = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, kind.replaceAll('_', ' ')]));
  const means = kinds[`${draft[by]}`]?.means ?? '';
  return (
    <Stack gap="sm" className="policy-form">
      {draw(first)}
      <ValueField form={form} path={[by]} schema={{ words, description: means, readOnly: !isNew }} />
      <div className="grid">{draw([...own, ...last])}</div>
    </Stack>
  );
}
