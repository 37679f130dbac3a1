import { readLabels } from '@agp/core/labels';
import { Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { nameAgents, putEach, undone } from './each-agent.ts';

/** Labels with a field of their own, by the names that people know them by. */
const known = {
  owner: 'Owner',
  team: 'Team',
  note: 'Note',
  compliance_tag: 'Cost centre (compliance tag of its events)',
};

type Labels = Readonly<Record<string, string>>;

const line = /^\s*([^=\s]+)\s*=\s*(.*\S)\s*$/;

const isWritable = ([name, value]: [string, string]) => {
  const found = line.exec(`${name}=${value}`);
  return found?.[1] === name && found[2] === value;
};

function readLines(text: string): Labels | null {
  const lines = text.split('\n').filter((each) => each.trim() !== '');
  const read = lines.map((each) => line.exec(each));
  return read.includes(null) ? null : Object.fromEntries(read.map((found) => [found?.[1], found?.[2]]));
}

/** What changes `before` into `after`; null removes. */
function compare(before: Labels, after: Labels): Record<string, string | null> {
  const set = Object.entries(after).filter(([name, value]) => value !== '' && before[name] !== value);
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name) || after[name] === '');
  return { ...Object.fromEntries(set), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

interface LabelFieldsProps {
  labels: Labels;
  /** Those of each agent now. */
  now: readonly Labels[];
  onChange: (next: Labels) => void;
  others: string;
  onOthers: (next: string) => void;
}

/** Values of several agents that a field tells. */
const mostNow = 5;

function LabelFields({ labels, now, onChange, others, onOthers }: LabelFieldsProps) {
  const { match } = useSession();
  return (
    <Stack gap="sm">
      {Object.entries(known).map(([name, label], index) => (
        <TextInput
          key={name}
          label={label}
          maxLength={1_024}
          disabled={Object.hasOwn(match ?? {}, name)}
          placeholder={[...new Set(now.map((each) => each[name] ?? 'none'))].slice(0, mostNow).join(', ')}
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

const trimAll = (labels: Labels) =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value.trim()]));

interface EditLabelsProps {
  agents: readonly { id: string; name: string; updated_at: string; metadata: Readonly<Record<string, unknown>> }[];
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

/** A button that changes labels, owner and note of agents: of several those that all have, and it adds and replaces others. */
export function EditLabels({ agents, size = 'xs', onDone }: EditLabelsProps) {
  const { match } = useSession();
  const isFixed = (name: string) => Object.hasOwn(match ?? {}, name);
  // What no line can say stays as it is, and so does what takes an agent into a team or out of it.
  const now: Labels[] = agents.map(({ metadata }) => Object.fromEntries(readLabels(metadata)));
  const before: Labels = Object.fromEntries(
    Object.entries(now[0] ?? {}).filter(
      (label) => isWritable(label) && !isFixed(label[0]) && now.every((each) => each[label[0]] === label[1]),
    ),
  );
  const isKnown = (name: string) => Object.hasOwn(known, name);
  const pick = (wanted: boolean) => Object.entries(before).filter(([name]) => isKnown(name) === wanted);
  const [labels, setLabels] = useState<Labels>({});
  const [others, setOthers] = useState('');
  const read = readLines(others);
  const changes = compare(before, { ...read, ...trimAll(labels) });
  return (
    <ConfirmButton
      label="Labels"
      name={`Labels of ${nameAgents(agents)}`}
      button={{ size }}
      onOpen={() => {
        setLabels(Object.fromEntries(pick(true)));
        setOthers(
          pick(false)
            .map((label) => label.join('='))
            .join('\n'),
        );
      }}
      at={size === 'sm' ? 'label' : undefined}
      title={`Labels of ${nameAgents(agents)}`}
      verb="Save"
      ready={read !== null && Object.keys(changes).length > 0}
      seen={agents.map(({ updated_at }) => updated_at)}
      change={(reason, seen) => putEach(agents, seen, reason, () => ({ labels: changes }))}
      done={`Labels of ${nameAgents(agents)} are saved.`}
      undo={(seen) =>
        putEach(agents, seen, undone, (at) => {
          const were = Object.fromEntries(readLabels(agents[at]?.metadata ?? {}));
          return { labels: Object.fromEntries(Object.keys(changes).map((name) => [name, were[name] ?? null])) };
        })
      }
      {...(onDone && { onDone })}
    >
      <LabelFields labels={labels} now={now} onChange={setLabels} others={others} onOthers={setOthers} />
    </ConfirmButton>
  );
}
