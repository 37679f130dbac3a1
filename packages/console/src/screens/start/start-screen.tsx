import type { ListedAgent, StreamEvent } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { Loader, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { apiQuery } from '../../api/api.ts';
import { usePermissions, useSession, useView } from '../../api/session.ts';
import { ChangeStatus } from '../../changes/change-status.tsx';
import { SetCap } from '../../changes/set-cap.tsx';
import { CapBar, capOf } from '../../components/cap-bar.tsx';
import { CallCost } from '../../components/cost.tsx';
import { FailureNotice } from '../../components/feedback.tsx';
import { Choice, FlagField } from '../../components/filters.tsx';
import { Banner, Card, Screen } from '../../components/layout.tsx';
import { CopyText, StatusPill, TimeStamp } from '../../components/values.tsx';
import { useLiveEvents } from '../../live/use-live-events.ts';
import { baseOf, snippets, toolAddress } from './snippets.ts';

const lookMs = 2_000;

function FirstEvent({ agentName }: { agentName: string }) {
  const { change } = usePermissions();
  const matches = useCallback((event: StreamEvent) => event.agent_name === agentName, [agentName]);
  const { rows, state } = useLiveEvents({}, matches);
  const query = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: agentName, expand: 'usage', order: 'seen', limit: 50 } }),
    refetchInterval: lookMs,
  });
  const agent = query.data?.data.find(({ name }) => name === agentName);
  return (
    <>
      <Card title="2. See its first event arrive">
        {state.kind === 'lost' && <FailureNotice error={state.error} />}
        <div role="status">
          {rows.length > 0 ? <Arrived events={rows} /> : <Waiting agent={agent} agentName={agentName} />}
        </div>
      </Card>
      <Card title="3. Give it a daily cap">
        {agent ? (
          <div className="filters" style={{ alignItems: 'center' }}>
            <div style={{ flex: '1 1 14rem' }}>
              <CapBar of={capOf(agent)} whose={agent.name} />
            </div>
            {change && <SetCap owner={{ kind: 'agents', agents: [agent] }} of={capOf(agent)} size="sm" />}
            {!change && <ReadOnly />}
          </div>
        ) : (
          <span className="dim">What would pass the cap is refused, however many requests come at once.</span>
        )}
      </Card>
      <Card title="4. Block it, and let it go on">
        {agent ? (
          <div className="filters" style={{ alignItems: 'center' }}>
            <StatusPill status={agent.status} />
            {change && <ChangeStatus agents={[agent]} to={agent.status === 'blocked' ? 'active' : 'blocked'} />}
            <span className="dim small">
              {agent.status === 'blocked'
                ? 'Run it again: the answer is 403, and it is listed among the refusals. Then unblock it.'
                : 'Its next request is refused, and what it has running ends within a second.'}
            </span>
            {!change && <ReadOnly />}
          </div>
        ) : (
          <span className="dim">Its next request is refused, and what it has running ends within a second.</span>
        )}
      </Card>
    </>
  );
}

function ReadOnly() {
  return (
    <span className="dim small">
      Whoever is signed in here may only look: sign in with a key that may change things.
    </span>
  );
}

function Waiting({ agent, agentName }: { agent: ListedAgent | undefined; agentName: string }) {
  const view = useView();
  return (
    <div style={{ display: 'flex', gap: '0.75rem', alignItems: 'center' }}>
      <Loader size="sm" aria-hidden />
      <span>
        {agent ? (
          <>
            <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
              {agentName}
            </Link>{' '}
            is known
            {agent.last_seen_at && (
              <>
                {' '}
                since its request at <TimeStamp at={agent.last_seen_at} />
              </>
            )}
            . Waiting for its next event …
          </>
        ) : (
          <>
            Run the code. Waiting for the first event of {agentName} …
            {view &&
              ` It is seen here once it has ${view}: by its identity’s rule, or by an admin of the installation.`}
          </>
        )}
      </span>
    </div>
  );
}

function Arrived({ events }: { events: readonly StreamEvent[] }) {
  const [latest] = events;
  if (latest === undefined) return null;
  return (
    <Banner tone="good">
      <strong>It has arrived.</strong> {latest.model}, {formatCount(latest.prompt_tokens)} tokens in,{' '}
      {formatCount(latest.completion_tokens)} out, <CallCost of={latest} /> at <TimeStamp at={latest.timestamp} />.{' '}
      <Link to="/events/$eventId" params={{ eventId: latest.id }}>
        Look at the event
      </Link>
      {events.length > 1 && ` (${events.length} so far)`}
    </Banner>
  );
}

/** Longest name that an agent may have. */
const longestName = 128;

const guessAddress = () =>
  isOnThisMachine(window.location.origin) ? 'http://127.0.0.1:8080' : `https://proxy.${window.location.hostname}`;

const isOnThisMachine = (address: string) => /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(address);

/** The first visit: an agent is pointed at the proxy, its first event arrives, it gets a cap, and is blocked and unblocked once. */
export function StartScreen() {
  const { proxy_url } = useSession();
  const [address, setAddress] = useState(proxy_url ?? guessAddress());
  const [agent, setAgent] = useState('my-first-agent');
  const [chosen, setChosen] = useState(snippets[0]?.name ?? '');
  const [simulated, setSimulated] = useState(isOnThisMachine(address));
  const snippet = snippets.find((each) => each.name === chosen) ?? snippets[0];
  const name = agent.trim() || 'my-first-agent';
  const text = snippet?.write(baseOf(address, snippet.api, simulated), name) ?? '';
  const tool = toolAddress(address, name, simulated);
  const own = `${address.replace(/\/+$/, '')}/agents/me`;
  return (
    <Screen
      title="Connect an agent"
      about="Four steps, about two minutes. Agents keep their SDKs and get another base URL."
    >
      <Card title="1. Point it at the proxy">
        <div className="filters">
          {proxy_url === null && (
            <TextInput
              label="Address of the proxy"
              description="Not known here: CONSOLE_PROXY_ADDRESS tells it"
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
          )}
          <TextInput
            label="Name of the agent"
            maxLength={longestName}
            value={agent}
            onChange={(event) => setAgent(event.currentTarget.value)}
          />
          <Choice
            label="Written with"
            options={snippets.map(({ name }) => name)}
            value={chosen}
            onChange={(next) => setChosen(next ?? chosen)}
          />
          <FlagField
            label="Simulated provider (only with npm start)"
            value={simulated}
            onChange={(next) => setSimulated(next === true)}
          />
        </div>
        <div style={{ position: 'relative', marginTop: '0.875rem' }}>
          <div style={{ position: 'absolute', top: 8, right: 8 }}>
            <CopyText text={text} what="the code" />
          </div>
          <section className="code-block" aria-label={`Code for ${snippet?.name}`}>
            {text}
          </section>
        </div>
        <p className="small dim" style={{ marginBottom: 0 }}>
          A tool that takes only a base URL gets the name in its path: <span className="mono">{tool}</span>{' '}
          <CopyText text={tool} what="the address" />. Where agents need a token, make one under{' '}
          <Link to="/keys" search={{ view: 'tokens' }}>
            Keys and tokens
          </Link>{' '}
          and send it as <span className="mono">X-Agent-Token</span>. Whoever has it sees what its agent may and what
          was refused, without a key of this console:{' '}
          <a href={own} target="_blank" rel="noreferrer" className="mono">
            {own}
          </a>
          .
        </p>
      </Card>
      <FirstEvent key={name} agentName={name} />
    </Screen>
  );
}
