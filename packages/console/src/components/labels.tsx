import { readLabels } from '@agp/core/labels';
import { Link } from '@tanstack/react-router';
import { AgentLink, Pill } from './values.tsx';

type Metadata = Readonly<Record<string, unknown>>;

const readTexts = (of: readonly string[]) => of.map((label) => label.split(/=(.*)/s, 2) as [string, string]);

/** An agent's labels, of its metadata or as `name=value`; its note is too long for a list. */
export function Labels({ of, most = 3 }: { of: Metadata | readonly string[]; most?: number }) {
  const all = Array.isArray(of) ? readTexts(of) : readLabels(of as Metadata);
  const labels = all.filter(([name]) => name !== 'note');
  const more = labels.length - most;
  return (
    <>
      {labels.slice(0, most).map(([name, value]) => (
        <Link
          key={name}
          to="/agents"
          search={{ label: value === '' || name.length + value.length > 250 ? name : `${name}=${value}` }}
          title={`${name}=${value}`}
        >
          <Pill>
            {name}={value}
          </Pill>
        </Link>
      ))}
      {more > 0 && (
        <Pill
          title={labels
            .slice(most)
            .map(([name, value]) => `${name}=${value}`)
            .join(', ')}
        >
          +{more}
        </Pill>
      )}
    </>
  );
}

/** An agent in a row, with the first of its labels. */
export function LabelledAgent({ of }: { of: { agent_id: string; agent_name: string; labels: readonly string[] } }) {
  return (
    <span className="named">
      <AgentLink id={of.agent_id} name={of.agent_name} />
      <Labels of={of.labels} most={2} />
    </span>
  );
}
