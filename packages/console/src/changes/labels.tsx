import { readLabels } from '@agp/core/contracts';
import { Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { callApi } from '../api/api.ts';
import { ConfirmButton } from '../components/confirm.tsx';

/** Labels with a field of their own, by the names that people know them by. */
const known = {
  owner: 'Owner',
  team: 'Team',
  note: 'Note',
  compliance_tag: 'Cost centre (compliance tag of its events)',
};

type Labels = Readonly<Record<string, string>>;

const line = /^\s*([^=\s]+)\s*=\s*(.*\S)\s*$/;

function readLines(text: string): Labels | null {
  const lines = text.split('\n').filter((each) => each.trim() !== '');
  const read = lines.map((each) => line.exec(each));
  return read.includes(null) ? null : Object.fromEntries(read.map((found) => [found?.[1], found?.[2]]));
}

/** What changes `before` into `after`; null removes. */
function compare(before: Labels, after: Labels): Record<string, string | null> {
  const set = Object.entries(after).filter(([name, value]) => value !== '' && before[name] !== value);
  const gone = Object.keys(before).filter((name) => !after[name]);
  return { ...Object.fromEntries(set), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

interface LabelFieldsProps {
  labels: Labels;
  onChange: (next: Labels) => void;
  others: string;
  onOthers: (next: string) => void;
}

export function LabelFields({ labels, onChange, others, onOthers }: LabelFieldsProps) {
  return (
    <Stack gap="sm">
      {Object.entries(known).map(([name, label], index) => (
        <TextInput
          key={name}
          label={label}
          maxLength={1_024}
          value={labels[name] ?? ''}
          onChange={(event) => onChange({ ...labels, [name]: event.currentTarget.value })}
          {...(index === 0 && { 'data-autofocus': true })}
        />
      ))}
      <Textarea
        label="Other labels"
        description="One a line, such as stage=production"
        autosize
        minRows={2}
        maxRows={8}
        value={others}
        onChange={(event) => onOthers(event.currentTarget.value)}
        error={readLines(others) === null && 'Each line must be name=value'}
      />
    </Stack>
  );
}

/** Labels that are being entered. @param before those that there are */
export function useLabels(before: Labels) {
  const isKnown = (name: string) => Object.hasOwn(known, name);
  const pick = (wanted: boolean) => Object.entries(before).filter(([name]) => isKnown(name) === wanted);
  const toLines = () =>
    pick(false)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n');
  const [labels, setLabels] = useState<Labels>(() => Object.fromEntries(pick(true)));
  const [others, setOthers] = useState(toLines);
  const read = readLines(others);
  const changes = compare(before, { ...read, ...trimAll(labels) });
  return {
    fields: <LabelFields labels={labels} onChange={setLabels} others={others} onOthers={setOthers} />,
    ready: read !== null && Object.keys(changes).length > 0,
    changes,
    reset: () => {
      setLabels(Object.fromEntries(pick(true)));
      setOthers(toLines());
    },
  };
}

const trimAll = (labels: Labels) =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value.trim()]));

interface EditLabelsProps {
  agent: { id: string; name: string; metadata: Readonly<Record<string, unknown>> };
}

/** A button that changes an agent's labels, its owner and a note. */
export function EditLabels({ agent: { id, name, metadata } }: EditLabelsProps) {
  const { fields, ready, changes, reset } = useLabels(Object.fromEntries(readLabels(metadata)));
  return (
    <ConfirmButton
      label="Labels"
      name={`Labels of ${name}`}
      button={{ size: 'sm' }}
      onOpen={reset}
      title={`Labels of ${name}`}
      verb="Save"
      ready={ready}
      change={(reason) =>
        callApi('put', '/api/v1/agents/{id}', {
          params: { path: { id }, query: { reason } },
          body: { labels: changes },
        })
      }
    >
      {fields}
    </ConfirmButton>
  );
}
