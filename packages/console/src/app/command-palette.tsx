import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { IconRobot, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery } from '../api/api-query.ts';
import { useSession } from '../session/session-context.ts';
import { placeGroups } from './navigation.tsx';

const pauseMs = 200;
const mostAgents = 7;

/** Ways to everything by a few letters: screens, agents by name, requests by any of their ids. Opened by Ctrl K. */
export function CommandPalette() {
  const [query, setQuery] = useState('');
  const navigate = useNavigate();
  const { edition } = useSession();
  const text = query.trim();
  const [wanted] = useDebouncedValue(text, pauseMs);
  const agents = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: wanted, order: 'seen', limit: mostAgents } }),
    enabled: wanted !== '',
  });
  const places = placeGroups
    .flatMap((group) => group.places)
    .filter(
      ({ extended, name }) => (!extended || edition === 'extended') && name.toLowerCase().includes(text.toLowerCase()),
    );
  const found = text === '' ? [] : (agents.data?.data ?? []);
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
      />
      <Spotlight.ActionsList>
        {places.map(({ to, name, icon: Icon }) => (
          <Spotlight.Action
            key={to}
            label={name}
            leftSection={<Icon size={18} aria-hidden />}
            onClick={() => void navigate({ to })}
          />
        ))}
        {found.map(({ id, name, status }) => (
          <Spotlight.Action
            key={id}
            label={name}
            description={`Agent, ${status}`}
            leftSection={<IconRobot size={18} aria-hidden />}
            onClick={() => void navigate({ to: '/agents/$agentId', params: { agentId: id } })}
          />
        ))}
        {text.length > 3 && (
          <Spotlight.Action
            label={`What became of ${text}`}
            description="By the id of a request, an event, a session or an agent"
            leftSection={<IconSearch size={18} aria-hidden />}
            onClick={() => void navigate({ to: '/find', search: { id: text } })}
          />
        )}
        {places.length + found.length === 0 && text.length <= 3 && (
          <Spotlight.Empty>Nothing is called so</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
