import { Choice } from '../../components/lists/choice.tsx';
import { LinkedFilter } from '../../components/lists/linked-filter.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { TimeRange } from '../../components/lists/time-range.tsx';
import { timeSpans } from '../../search/time-spans.ts';
import type { EventsSearch } from './read-events-search.ts';

const results = [
  { value: 'wrong', label: 'Failed or answered with an error' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'aborted', label: 'Aborted by the agent' },
  { value: 'killed', label: 'Ended by a block' },
] as const;

type Result = (typeof results)[number]['value'];

interface Props {
  search: EventsSearch;
  onChange: (next: Partial<EventsSearch>) => void;
}

/** Filters that came with a link and have no field of their own. */
const linked = ['agent_id', 'session_id', 'pii_type', 'provider'] as const;
const linkedNames = {
  agent_id: 'agent',
  session_id: 'session',
  pii_type: 'personal data',
  provider: 'provider',
};

/** Which events are listed. */
export function EventFilters({ search, onChange }: Props) {
  const result: Result | undefined = search.failed ? 'wrong' : search.outcome;
  const chooseResult = (chosen: Result | undefined) =>
    onChange(chosen === 'wrong' ? { failed: true, outcome: undefined } : { failed: undefined, outcome: chosen });
  return (
    <div className="filters">
      <TimeRange label="Time" none="All" spans={timeSpans} from={search.from} to={search.to} onChange={onChange} />
      <Choice label="Result" none="All" options={results} value={result} onChange={chooseResult} />
      <SearchField
        label="Model"
        placeholder="Its whole name"
        value={search.model}
        onChange={(model) => onChange({ model })}
      />
      <SearchField
        label="Compliance tag"
        value={search.compliance_tag}
        onChange={(compliance_tag) => onChange({ compliance_tag })}
      />
      {linked.map((name) => (
        <LinkedFilter
          key={name}
          name={linkedNames[name]}
          value={search[name]}
          onRemove={() => onChange({ [name]: undefined })}
        />
      ))}
    </div>
  );
}
