import { ActionIcon, Button, Modal } from '@mantine/core';
import { useDebouncedValue, useWindowEvent } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconBolt, IconCpu, IconGauge, IconMessages, IconRobot, IconSearch, IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { apiQuery, budgetsQuery, usageQuery } from '../api/api.ts';
import { usePermissions, useSession } from '../api/session.ts';
import { isTyping } from '../components/peek.tsx';
import { newPolicy } from '../components/policies.tsx';
import { Fields } from '../components/values.tsx';
import { useNamed } from './named-things.ts';
import { usePlaces } from './screens.ts';

interface Choice {
  key: string;
  label: string;
  description: string;
  icon: ReactNode;
  go: () => Promise<void>;
}

/** Ids have digits and no spaces; names seldom are so long with both. */
const looksLikeId = (text: string) => /^(?=.*\d)[\x21-\x7e]{8,}$/.test(text);

const pauseMs = 200;
const mostAgents = 7;

/** Words for what is done on a screen, beside its name. */
const alsoCalled: Readonly<Record<string, string>> = {
  ...{
    '/alerts': 'notify rule target',
    '/budgets': 'cap spend',
    '/agents': 'label block',
    '/audit': 'change history',
    '/costs': 'price',
    '/start': 'sdk',
  },
};
/** Dialogs of an agent's page, by what stands behind # in its address. */
const agentActions = {
  block: 'Block',
  unblock: 'Unblock',
  cap: 'Set a cap of',
  limit: 'Set a limit of',
  label: 'Label',
  evidence: 'Export evidence of',
};

const pick = (icon: typeof IconRobot, label: string, description: string, go: () => Promise<void>): Choice => {
  const Icon = icon;
  return { key: `${description} ${label}`, label, description, icon: <Icon size={18} aria-hidden />, go };
};

/** Ways to everything by a few letters, and dialogs of what is done most. Opened by Ctrl K. */
export function CommandPalette() {
  const [query, setQuery] = useState('');
  const navigate = useNavigate();
  const { edition } = useSession();
  const { change, govern, pause } = usePermissions();
  const text = query.trim();
  const [wanted] = useDebouncedValue(text, pauseMs);
  const [, verb, whose = wanted] = /^(block|unblock|cap|limit|label|evidence|budget) (.+)$/i.exec(wanted) ?? [];
  const enabled = wanted !== '';
  const agents = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: whose, order: 'seen', limit: mostAgents } }),
    enabled,
  });
  const isLabel = /^[^=\s]+(?:=.+)?$/.test(wanted);
  const labelled = useQuery({
    ...apiQuery('/api/v1/agents', { query: { label: wanted, limit: 1 } }),
    enabled: isLabel,
  });
  const sessions = useQuery({
    ...apiQuery('/api/v1/sessions', { query: { name: wanted, expand: 'names', limit: 3 } }),
    enabled: enabled && edition === 'extended',
  });
  const budgets = useQuery({ ...budgetsQuery, enabled });
  const models = useQuery({ ...usageQuery({ from: '30d' }, ['model'], 100), enabled });
  const toAgent = (agentId: string, hash = '') => navigate({ to: '/agents/$agentId', params: { agentId }, hash });
  const toBudget = (hash: string) => navigate({ to: '/budgets', hash });
  const has = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const found = enabled ? (agents.data?.data ?? []) : [];
  const acts = found.flatMap(({ id, name, status }) =>
    Object.entries(agentActions)
      .filter(([action]) => (verb === undefined ? found.length === 1 : action === verb.toLowerCase()))
      .filter(
        ([action]) => action === 'evidence' || (change && action !== (status === 'blocked' ? 'block' : 'unblock')),
      )
      .map(([action, words]) => pick(IconBolt, `${words} ${name}`, 'Asks before', () => toAgent(id, action))),
  );
  const choices: Choice[] = [
    ...usePlaces()
      .places.filter(({ name, to }) => has(name) || (text.length > 1 && has(`${name} ${alsoCalled[to] ?? ''}`)))
      .map(({ to, name, icon }) => pick(icon, name, '', () => navigate({ to }))),
    ...(pause && has('Pause all agents')
      ? [pick(IconBolt, 'Pause all agents', 'Asks before', () => navigate({ to: '/', hash: 'pause' }))]
      : []),
    ...(govern && has('New policy')
      ? [pick(IconBolt, 'New policy', 'Starts from an example', () => navigate({ href: `/policies/${newPolicy}` }))]
      : []),
    ...(change && has('New budget')
      ? [pick(IconBolt, 'New budget', 'For a team, a model, a month', () => toBudget('new'))]
      : []),
    ...(enabled && [undefined, 'budget'].includes(verb?.toLowerCase()) ? (budgets.data?.data ?? []) : [])
      .filter(({ budget: { name } }) => name.includes(whose.toLowerCase()))
      .map(({ id, budget: { name } }) => pick(IconGauge, name, 'Budget', () => toBudget(id))),
    ...(verb === undefined ? found : []).map(({ id, name, status }) =>
      pick(IconRobot, name, `Agent, ${status}`, () => toAgent(id)),
    ),
    ...acts,
    ...useNamed(text, enabled).map(({ icon, name, what, go }) => pick(icon, name, what, go)),
    ...(enabled ? (models.data?.data.usage ?? []) : [])
      .flatMap(({ model }) => (model !== undefined && has(model) ? [model] : []))
      .slice(0, mostAgents)
      .map((model) => pick(IconCpu, model, 'Model', () => navigate({ to: '/providers', search: { model } }))),
    ...(isLabel && labelled.data?.data.length
      ? [pick(IconTag, wanted, 'Agents with this label', () => navigate({ to: '/agents', search: { label: wanted } }))]
      : []),
    ...(enabled ? (sessions.data?.data ?? []) : []).map(({ id, name, agent_name }) =>
      pick(IconMessages, name ?? id, `Session of ${agent_name}`, () =>
        navigate({ to: '/sessions/$sessionId', params: { sessionId: id } }),
      ),
    ),
    ...(looksLikeId(text)
      ? [
          pick(IconSearch, `What became of ${text}`, 'By the id of a request, an event, a session or an agent', () =>
            navigate({ to: '/find', search: { id: text } }),
          ),
        ]
      : []),
  ];
  // Agents come a moment after the letters: then nothing is selected yet, and Enter means the first.
  const goToFirst = () => {
    if (document.querySelector('.mantine-Spotlight-action[data-selected]') !== null) return;
    void choices[0]?.go();
    spotlight.close();
  };
  return (
    <Spotlight.Root
      attributes={{ content: { 'aria-label': 'Find anything' } }}
      query={query}
      onQueryChange={setQuery}
      centered={false}
      clearQueryOnClose
      scrollable
      maxHeight={420}
      overlayProps={{ color: 'var(--veil)', backgroundOpacity: 0.35 }}
      shortcut="mod + K"
    >
      <Spotlight.Search
        placeholder="A screen, an agent, a policy, an id, block …"
        aria-label="A screen, an agent, a policy, an id, block …"
        leftSection={<IconSearch size={18} aria-hidden />}
        onKeyDown={(event) => {
          if (event.key === 'Enter') goToFirst();
        }}
      />
      <Spotlight.ActionsList>
        {choices.map(({ key, label, description, icon, go }) => (
          <Spotlight.Action
            key={key}
            label={label}
            description={description}
            leftSection={icon}
            onClick={() => void go()}
          />
        ))}
        {choices.length === 0 && <Spotlight.Empty>No match. Try an agent, an id, a policy</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

export function PaletteButton() {
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<kbd className="dim">Ctrl K</kbd>}
        onClick={spotlight.open}
      >
        Search
      </Button>
      <ActionIcon hiddenFrom="sm" variant="subtle" color="gray" size="lg" aria-label="Search" onClick={spotlight.open}>
        <IconSearch size={18} />
      </ActionIcon>
    </>
  );
}

/** How long after `g` a letter still leads to a screen, in milliseconds. */
const patienceMs = 1_500;

/** Keys that lead to the screen's search, to a screen, and to a list of all of them. */
export function Shortcuts() {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const { places } = usePlaces();
  const goUntil = useRef(0);
  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    // A dialog may hold what is shown once.
    if (document.querySelector('[role="dialog"]') !== null) return;
    const isGoing = event.timeStamp < goUntil.current;
    goUntil.current = 0;
    const place = isGoing ? places.find(({ letter }) => letter === event.key) : undefined;
    if (place !== undefined) void navigate({ to: place.to });
    else if (event.key === 'g') goUntil.current = event.timeStamp + patienceMs;
    else if (event.key === '?') setOpened(true);
    else if (event.key === '/') {
      const field = document.querySelector<HTMLInputElement>('#main input[type="search"]');
      if (field === null) return;
      event.preventDefault();
      field.focus();
    }
  });
  const ways = places.map(({ letter, name }) => [`g ${letter}`, name]);
  const fields = {
    '/': 'Search on this screen',
    'Ctrl K': 'Find anything',
    ...Object.fromEntries(ways),
    'j k': 'Next and previous row of a list, also while one is open beside it',
    Space: 'Look at a row beside the list',
    Enter: 'Open it',
    Escape: 'Close what is open',
    '?': 'These keys',
  };
  return (
    <Modal opened={opened} onClose={() => setOpened(false)} title="Keys">
      <Fields fields={fields} />
    </Modal>
  );
}
