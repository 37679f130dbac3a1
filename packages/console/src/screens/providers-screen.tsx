import { getRouteApi, Link } from '@tanstack/react-router';
import { defaultWindow } from '../api/api.ts';
import { HourPanels, listPanels } from '../charts/hour-panels.tsx';
import { Cost } from '../components/cost.tsx';
import { Choice } from '../components/filters.tsx';
import { Screen } from '../components/layout.tsx';
import { AskingAgents, SumList, useSums } from '../components/sum-list.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { type Window, windows } from '../search/search.ts';

const route = getRouteApi('/providers');

/** One provider or model, hour by hour. */
function One({ kind, name, from }: { kind: 'provider' | 'model'; name: string; from: Window }) {
  const { usage, from: since } = useSums(kind, from).data?.data ?? {};
  const all = usage?.find((row) => row[kind] === name);
  const cost = all && <Cost usd={all.total_cost_usd} tokens={all.total_tokens} />;
  const of = { [kind]: name };
  return (
    <HourPanels
      {...{ from, of }}
      panels={[{ figure: 'cost', name: 'Cost', value: cost }, ...listPanels(all, { ...of, from: since ?? undefined })]}
    />
  );
}

/** All providers and models, or one of them. */
export function ProvidersScreen() {
  const search = route.useSearch();
  const { from = defaultWindow, provider, model } = search;
  const { bind } = useFilters(search);
  const [kind, name] = provider === undefined ? (['model', model] as const) : (['provider', provider] as const);
  return (
    <Screen
      title={name ?? 'Providers'}
      about={
        name === undefined ? (
          'How providers and models answer, and what they cost. p50 and p95: half and 95% of the calls took less'
        ) : (
          <>
            One {kind} of all <Link to="/providers">providers and models</Link>; its{' '}
            <Link to="/events" search={{ provider, model, from }}>
              events
            </Link>
          </>
        )
      }
      actions={<Choice label="Time" options={windows} {...bind('from')} value={from} />}
    >
      {name === undefined ? (
        <>
          <SumList kind="provider" from={from} title="Providers" />
          <SumList kind="model" from={from} title="Models" />
        </>
      ) : (
        <>
          <One {...{ kind, name, from }} />
          <AskingAgents {...{ kind, name, from }} />
        </>
      )}
    </Screen>
  );
}
