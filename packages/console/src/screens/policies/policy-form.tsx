import { operationNames } from '@agp/core/operations';
import type { Policy } from '@agp/policy';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { apiQuery } from '../../api/api.ts';
import { useSeenNames } from '../../components/known-fields.tsx';
import { Banner } from '../../components/layout.tsx';
import { Pill } from '../../components/values.tsx';
import { policyShape, type Schema } from './complete-policy.ts';
import { DataFields } from './data-fields.tsx';
import { type FieldProps, type Form, HoursFields, NamesField, nameMember, ValueField } from './form-fields.tsx';
import { rewriteAt, valueAt } from './rewrite-text.ts';

/** The fields of a member, as its schema has it. */
export function Member(props: FieldProps) {
  const { form, path, schema } = props;
  if (path[0] === 'hours') return <HoursFields {...props} />;
  if (`${path}` === 'pii') return <DataFields {...props} />;
  if (schema.type === 'array' || path.at(-1) === 'labels') return <NamesField {...props} />;
  if (schema.properties === undefined) return <ValueField {...props} />;
  const isSet = valueAt(form.draft, path) !== undefined;
  const inside = Object.entries(schema.properties)
    // What becomes of a request is asked once a rule is there.
    .filter(([, { enum: choices }]) => isSet || choices === undefined)
    .map(([name, each]) => <Member key={name} form={form} path={[...path, name]} schema={each} />);
  if (path.length === 1) return inside;
  return (
    <fieldset>
      <legend>{nameMember(path)}</legend>
      <div className="grid">{inside}</div>
    </fieldset>
  );
}

/** What holds of a part that says nothing. */
const unset: Readonly<Record<string, string>> = { match: 'every request', check: 'none' };

/** A part of the form that folds: open if the policy says something there. */
function Part(props: FieldProps) {
  const { form, path } = props;
  const isSet = Object.keys(valueAt(form.draft, path) ?? {}).length > 0;
  const [isOpen, setOpen] = useState(isSet);
  // What is typed there stays if it is folded.
  const isDrawn = useRef(false);
  isDrawn.current ||= isOpen;
  useEffect(() => {
    if (isSet) setOpen(true);
  }, [isSet]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {nameMember(path)} {isSet ? <Pill>set</Pill> : <span className="small dim">{unset[path[0]] ?? 'any'}</span>}
      </summary>
      {isDrawn.current && (
        <div className="grid">
          <Member {...props} />
        </div>
      )}
    </details>
  );
}

const members = Object.entries(policyShape.properties ?? {});
const isPart = (schema: Schema) => schema.properties !== undefined;
const isScalar = ({ properties, type }: Schema) => properties === undefined && type !== 'array';
const firstPart = members.findIndex(([, schema]) => isPart(schema));
const parts = members.filter(([, schema]) => isPart(schema));

/** Names that were seen in the last 30 days. */
function useSeen(): Form['seen'] {
  const tools = useQuery({ ...apiQuery('/api/v1/policies/tools'), staleTime: 60_000 }).data?.data ?? [];
  const listTools = (kind: string) => tools.flatMap((tool) => (tool.kind === kind ? tool.name : []));
  return {
    ...useSeenNames(),
    operations: operationNames,
    client: listTools('client'),
    hosted: listTools('hosted'),
    hosts: listTools('remote_mcp'),
    connectors: listTools('connector'),
    tunnels: listTools('tunnel'),
  };
}

interface PolicyFormProps {
  text: string;
  /** What it says; null while it is none. */
  policy: Policy | null;
  onChange: (text: string) => void;
  tell: NonNullable<Form['tell']>;
}

/** Fields for all that a policy may say, as its schema has them: each writes its own member of the text. */
export function PolicyForm({ text, policy, onChange, tell }: PolicyFormProps) {
  const seen = useSeen();
  const last = useRef(policy);
  const latest = useRef(text);
  latest.current = text;
  if (policy !== null) last.current = policy;
  if (last.current === null) return <Banner tone="warn">The text is no policy yet.</Banner>;
  const shown = last.current;
  const form: Form = {
    draft: shown,
    seen,
    tell,
    write(path, value) {
      // A field may answer late: all that was written meanwhile stays.
      const next = rewriteAt(latest.current, path, value);
      if ('text' in next) onChange(next.text);
      return 'fault' in next ? next.fault : null;
    },
  };
  const draw = (some: typeof members) =>
    some
      .filter(([, schema]) => isScalar(schema))
      .map(([name, schema]) => <Member key={name} form={form} path={[name]} schema={schema} />);
  return (
    <fieldset className="policy-form" disabled={policy === null}>
      <Stack gap="sm">
        {policy === null && (
          <Banner tone="warn">Mend the text first: until then the form shows what it said before.</Banner>
        )}
        {draw(members.slice(0, firstPart))}
        <div>
          {parts.map(([name, schema]) => (
            <Part key={name} form={form} path={[name]} schema={schema} />
          ))}
          <details>
            <summary>More</summary>
            <div className="grid">{draw(members.slice(firstPart))}</div>
          </details>
        </div>
        <p className="small dim">
          A name may end in *; a tool's may hold it anywhere.
          {shown.exceptions && ' Exceptions stand in the text and, once stored, in the list below.'}
        </p>
      </Stack>
    </fieldset>
  );
}
