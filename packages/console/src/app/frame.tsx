import { formatDuration, type Tone } from '@agp/core/explain';
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Menu,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { alertsQuery, callApi, mostOpen, statusQuery } from '../api/api.ts';
import { signOut, usePermissions, useSession, useView } from '../api/session.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { DoneNotice } from '../components/done.tsx';
import { Brand } from '../components/layout.tsx';
import { Pill, StoppedBy, TimeAgo } from '../components/values.tsx';
import { formatLocalTime, formatZone } from '../format/format.ts';
import { CommandPalette, PaletteButton, Shortcuts } from './command-palette.tsx';
import { usePlaces } from './screens.ts';

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { places, groups } = usePlaces();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <div className="frame-nav">
      {groups.map((title) => (
        <div key={title} className="nav-group">
          <h2>{title}</h2>
          <ul>
            {places
              .filter(({ group }) => group === title)
              .map(({ to, name, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className="nav-link"
                    onClick={onNavigate}
                    aria-current={isWithin(path, to) ? 'page' : undefined}
                  >
                    <Icon size={18} stroke={1.6} aria-hidden />
                    {name}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function AccountMenu() {
  const { name, role, expires_at } = useSession();
  const view = useView();
  const { mutate, isPending, error } = useMutation({
    mutationFn: signOut,
    // A new page: nothing that was read is left for the next person.
    onSuccess: () => window.location.replace('/'),
  });
  return (
    <Menu position="bottom-end" withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          leftSection={<IconUser size={16} aria-hidden />}
          aria-label={`Account: ${name}`}
        >
          <span className="hide-narrow" style={{ maxWidth: '10rem', overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {name}
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '0.5rem 0.75rem', maxWidth: '18rem' }} className="small">
          <strong style={{ overflowWrap: 'anywhere' }}>{name}</strong>
          <div className="dim">
            {role} {view && `of ${view} `}· session ends {formatLocalTime(expires_at)}
          </div>
          {error && <div className="tone-bad">{error.message}</div>}
        </div>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => mutate()} disabled={isPending}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Whose view it is, if it is not of all. */
function ViewChip() {
  const view = useView();
  if (view === null) return null;
  return (
    <span className="view-chip">
      <Pill title={`All that is shown is of the agents with ${view}`}>{view}</Pill>
    </span>
  );
}

/** Behind by so much, records are late; beyond the second, something stands still. In milliseconds. */
const lateMs = 5_000;
const stuckMs = 60_000;

/** How far what is shown is behind what happens; of the writer it says what the services' list says. A team is told nothing of it. */
function LagBadge() {
  const view = useView();
  const { data, error } = useQuery(statusQuery());
  const { recording, services } = data?.data ?? {};
  const writer = services?.find(({ name }) => name === 'writer');
  const pill = (tone: Tone, title: string, text: ReactNode) => (
    <Pill tone={tone} title={title}>
      {text}
    </Pill>
  );
  if (error) return pill('bad', error.message, 'No connection');
  if (view !== null) return null;
  if (recording === undefined) return null;
  if (recording === null) return pill('bad', 'The state of recording could not be read', 'Recording: not known');
  const { lag_ms: lag, last_recorded_at: last } = recording;
  if (lag === null) return pill('plain', 'No event is recorded yet', 'Nothing recorded yet');
  // The latest record is too old to tell whether a writer runs.
  if (writer?.state === 'unknown' || writer?.state === 'idle')
    return pill(
      'plain',
      `Writer: ${writer.detail}`,
      <>
        <span className="hide-narrow">Last record </span>
        <TimeAgo at={last} />
      </>,
    );
  if (writer?.state === 'not_ready') return pill('bad', `Writer: ${writer.detail}`, 'Recording is late');
  return pill(
    lag < lateMs ? 'good' : lag < stuckMs ? 'warn' : 'bad',
    'How long after its end the latest request was recorded: until then no screen shows it',
    <>
      <span className="hide-narrow">Recording </span>
      {formatDuration(lag)} behind
    </>,
  );
}

/** How many alerts nobody looks after yet, but for mere news, with a way to all. */
function Bell() {
  const found = useQuery(alertsQuery({ state: 'open' })).data?.data ?? [];
  const open = found.filter(({ severity }) => severity !== 'info').length;
  const count = `${open}${found.length === mostOpen ? '+' : ''}`;
  return (
    <Link to="/alerts" className="bell" aria-label={`${count} open ${open === 1 ? 'alert' : 'alerts'}`}>
      <IconBell size={18} aria-hidden />
      {open > 0 && <Pill tone="bad">{count}</Pill>}
    </Link>
  );
}

/** On every screen while all agents are paused, so that nobody wonders. */
function PauseBanner() {
  const { data } = useQuery(statusQuery());
  const { pause: mayPause } = usePermissions();
  const pause = data?.data.pause;
  if (!pause?.paused) return null;
  return (
    <div className="banner no-print" role="status" style={{ marginBottom: '1rem' }}>
      <div>
        <strong>All agents are paused</strong>
        <StoppedBy stop={pause.stop} />. Every request is answered with 503 until somebody resumes them.
      </div>
      {mayPause && (
        <ConfirmButton
          button={{ variant: 'filled', color: 'red.9' }}
          label="Resume all agents"
          title="Resume all agents?"
          verb="Resume"
          change={(reason) =>
            callApi('put', '/api/v1/pause', { params: { query: { reason } }, body: { paused: false } })
          }
        >
          Agents that are not blocked are served again from their next request on.
        </ConfirmButton>
      )}
    </div>
  );
}

/** Dark or light; the system's choice until somebody presses it. */
function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Show it ${other}`}
      title={`Show it ${other}`}
      onClick={() => setColorScheme(other)}
    >
      {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

export function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  // What is shown is of before: the header says that there is no connection.
  const isAway = useQuery(statusQuery()).isError;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#main" className="skip-link">
        To the content
      </a>
      <AppShell.Header>
        <div className="frame-header">
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? 'Close the menu' : 'Open the menu'}
          />
          <Link to="/" className="brand" aria-label="Agent Governance Proxy: now">
            <Brand short />
          </Link>
          <div className="grow" />
          <PaletteButton />
          <Bell />
          <LagBadge />
          <SchemeButton />
          <ViewChip />
          <AccountMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Screens">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <CommandPalette />
      <Shortcuts />
      <DoneNotice />
      <AppShell.Main id="main" tabIndex={-1}>
        <PauseBanner />
        <div data-away={isAway}>
          <Outlet />
        </div>
        <p className="dim small">Times are in your zone, {formatZone()}; days of caps and costs are of UTC.</p>
      </AppShell.Main>
    </AppShell>
  );
}
