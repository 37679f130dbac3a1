import { ActionIcon, Button, Modal, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconRobot, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { apiQuery } from '../api/api.ts';
import { Fields } from '../components/values.tsx';
import { usePlaces } from './screens.ts';

interface Choice {
  key: string;
  label: string;
  description?: string;
  icon: ReactNode;
  go: () => Promise<void>;
}

/** Ids have digits and no spaces; names seldom are so long with both. */
const looksLikeId = (text: string) => /^(?=.*\d)[\x21-\x7e]{8,}$/.test(text);

const pauseMs = 200;
const mostAgents = 7;

/** Ways to everything by a few letters: screens, agents by name, requests by any of their ids. Opened by Ctrl K. */
export function CommandPalette() {
  const [query, setQuery] = useState('');
  const navigate = useNavigate();
  const text = query.trim();
  const [wanted] = useDebouncedValue(text, pauseMs);
  const agents = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: wanted, order: 'seen', limit: mostAgents } }),
    enabled: wanted !== '',
  });
  const places = usePlaces().places.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const found = text === '' ? [] : (agents.data?.data ?? []);
  const choices: Choice[] = [
    ...places.map(({ to, name, icon: Icon }) => ({
      key: to,
      label: name,
      icon: <Icon size={18} aria-hidden />,
      go: () => navigate({ to }),
    })),
    ...found.map(({ id, name, status }) => ({
      key: id,
      label: name,
      description: `Agent, ${status}`,
      icon: <IconRobot size={18} aria-hidden />,
      go: () => navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
    ...(!looksLikeId(text)
      ? []
      : [
          {
            key: 'find',
            label: `What became of ${text}`,
            description: 'By the id of a request, an event, a session or an agent',
            icon: <IconSearch size={18} aria-hidden />,
            go: () => navigate({ to: '/find', search: { id: text } }),
          },
        ]),
  ];
  // Agents come a moment after the letters: then nothing is selected yet, and Enter means the first.
  const goToFirst = () => {
    if (document.querySelector('.mantine-Spotlight-action[data-selected]') !== null) return;
    void choices[0]?.go();
    spotlight.close();
  };
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      clearQueryOnClose
      scrollable
      maxHeight={420}
      shortcut="mod + K"
    >
      <Spotlight.Search
        placeholder="A screen, an agent, or the id of a request"
        aria-label="A screen, an agent, or the id of a request"
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
            {...(description !== undefined && { description })}
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
      <Tooltip label="Search">
        <ActionIcon
          hiddenFrom="sm"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Search"
          onClick={spotlight.open}
        >
          <IconSearch size={18} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

/** How long after `g` a letter still leads to a screen, in milliseconds. */
const patienceMs = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'));

/** Keys that lead to the screen's search, to a screen, and to a list of all of them. */
export function Shortcuts() {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const { places } = usePlaces();
  const goUntil = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
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
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  const ways = places.map(({ letter, name }) => [`g ${letter}`, name]);
  const fields = {
    '/': 'Search on this screen',
    'Ctrl K': 'Find anything',
    ...Object.fromEntries(ways),
    '?': 'These keys',
  };
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      title="Keys"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Fields fields={fields} />
    </Modal>
  );
}
