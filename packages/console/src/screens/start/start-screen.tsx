import { Checkbox, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/lists/choice.tsx';
import { Screen } from '../../components/screen.tsx';
import { CopyText } from '../../components/values/short-id.tsx';
import { useSession } from '../../session/session-context.ts';
import { FirstEvent } from './first-event.tsx';
import { baseOf, snippets, toolAddress } from './snippets.ts';

/** Longest name that an agent may have. */
const longestName = 128;

/** Where a proxy most likely is, for a page that was not told. */
const guessAddress = () =>
  isOnThisMachine(window.location.origin) ? 'http://127.0.0.1:8080' : `https://proxy.${window.location.hostname}`;

const isOnThisMachine = (address: string) => /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(address);

/** The first visit: an agent is pointed at the proxy, its first event arrives, it gets a cap, and is blocked and unblocked once. */
export function StartScreen() {
  const { proxy_url } = useSession();
  const [address, setAddress] = useState(proxy_url ?? guessAddress());
  const [agent, setAgent] = useState('my-first-agent');
  const [chosen, setChosen] = useState(snippets[0]?.id ?? '');
  const [simulated, setSimulated] = useState(isOnThisMachine(address));
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  const name = agent.trim() || 'my-first-agent';
  const text = snippet?.write(baseOf(address, snippet.api, simulated), name) ?? '';
  const tool = toolAddress(address, name, simulated);
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
            options={snippets.map(({ id, name: label }) => ({ value: id, label }))}
            value={chosen}
            onChange={(next) => setChosen(next ?? chosen)}
          />
          <Checkbox
            label="Simulated provider (only with npm start)"
            checked={simulated}
            onChange={(event) => setSimulated(event.currentTarget.checked)}
            mb={8}
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
          and send it as <span className="mono">X-Agent-Token</span>.
        </p>
      </Card>
      <FirstEvent key={name} agentName={name} />
    </Screen>
  );
}
