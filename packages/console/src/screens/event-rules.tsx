import type { EventDetail } from '../api/shapes.ts';
import { Card } from '../components/layout.tsx';
import { DecidedBy } from '../components/policies.tsx';
import { Fields, Pill } from '../components/values.tsx';
import { countOf, formatCount, formatExactUsd } from '../format/format.ts';

type Decided = NonNullable<EventDetail['decision']>[number];
type Tools = NonNullable<NonNullable<EventDetail['tools']>['declared']>;

/** What was done by each action of a rule. */
const actions: Record<Decided['action'], string> = {
  observe: 'noted; enforced, it would have been refused',
  warn: 'its agent was warned; enforced, it would have been refused',
  lower: 'the bound of its output was lowered',
  strip: 'tools were taken out of it',
  cut: 'its answer was ended',
};

function Decisions({ decision }: { decision: readonly Decided[] }) {
  return (
    <ul className="lines" style={{ marginTop: 0 }}>
      {decision.map(({ policy, version, rule, action }) => (
        <li key={`${policy} ${rule} ${action}`}>
          <Pill tone={action === 'observe' ? 'plain' : 'warn'}>{action}</Pill> <DecidedBy policy={policy} rule={rule} />{' '}
          <span className="dim">
            (version {version}): {actions[action]}
          </span>
        </li>
      ))}
    </ul>
  );
}

export const toolKinds: Readonly<Record<string, string>> = { remote_mcp: 'remote MCP', tunnel: 'MCP tunnel' };

function ToolNames({ tools }: { tools: Tools }) {
  if (tools.length === 0) return <span className="dim">none</span>;
  return (
    <span className="chips">
      {tools.map(({ kind, names }) => (
        <Pill key={`${kind} ${names[0]}`} title={`${toolKinds[kind] ?? kind}: ${names.join(', ')}`}>
          {names[0]}
          {kind !== 'client' && ` · ${toolKinds[kind] ?? kind}`}
        </Pill>
      ))}
    </span>
  );
}

/** The names of fields with a star if no hash covers them. */
export function starNames(event: EventDetail, members: Record<string, EventDetail['not_chained'][number]>) {
  const bare = Object.entries(members).filter(([, member]) => event.not_chained.includes(member));
  return Object.fromEntries(
    bare.map(([name]) => [
      name,
      <span key={name} title="No hash covers this: the database alone vouches for it">
        {name} <span aria-hidden>*</span>
        <span className="visually-hidden">not covered by the hash</span>
      </span>,
    ]),
  );
}

const ofAsked = ['Operation', 'Models named', 'Most output', 'Input', 'Likely cost'];

/** What rules decided of a request and what they ask of it; nothing if neither is known. */
export function EventRules({ event }: { event: EventDetail }) {
  const { decision, policy_version, tools, asked } = event;
  if (!decision?.length && !policy_version && !tools && !asked) return null;
  const more = tools?.more ?? 0;
  return (
    <Card title="Policies and tools">
      <Fields
        marked={starNames(event, Object.fromEntries(ofAsked.map((name) => [name, 'asked' as const])))}
        fields={{
          Decided: decision?.length ? <Decisions decision={decision} /> : <span className="dim">nothing</span>,
          'Version of the rules': typeof policy_version === 'number' ? formatCount(policy_version) : null,
          'Tools offered': tools && (tools.declared ? <ToolNames tools={tools.declared} /> : 'could not be read'),
          'Tools called': tools && <ToolNames tools={tools.called} />,
          ...(more > 0 && { 'More tools': formatCount(more) }),
          ...(asked && {
            Operation: asked.operations?.join(', ') ?? 'unknown',
            'Models named': asked.models?.join(', ') ?? 'could not be read',
            'Most output': asked.output_tokens === null ? 'no bound' : countOf(asked.output_tokens, 'token'),
            Input: asked.input_bytes === null ? null : countOf(asked.input_bytes, 'byte'),
            'Likely cost': formatExactUsd(asked.nano_usd / 1e9),
          }),
        }}
      />
    </Card>
  );
}
