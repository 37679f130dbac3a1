import { Checkbox, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/choice.tsx';
import { Screen } from '../../components/screen.tsx';
import { CopyText } from '../../components/short-id.tsx';
import { useSession } from '../../session/session-context.ts';
import { FirstEvent } from './first-event.tsx';
import { baseOf, snippets, toolAddress } from './snippets.ts';

/** Longest name that an agent may have. */
const longestName = 128;

const isOnThisMachine = (address: string) => /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(address);

/** The first visit: an agent is pointed at the proxy, its first event arrives, it gets a cap, and is blocked and unblocked once. */
export function StartScreen() {
  const { proxy_url } = useSession();
  const [agent, setAgent] = useState('my-first-agent');
  const [chosen, setChosen] = useState(snippets[0]?.id ?? '');
  const [simulated, setSimulated] = useState(isOnThisMachine(proxy_url));
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  const name = agent.trim() || 'my-first-agent';
  const text = snippet?.write(baseOf(proxy_url, snippet.api, simulated), name) ?? '';
  const tool = toolAddress(proxy_url, name, simulated);
  return (
    <Screen
      title="Connect an agent"
      about="Four steps, about two minutes. Agents keep their SDKs and get another base URL."
    >
      <Card title="1. Point it at the proxy">
        <div className="filters">
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
