import {
  IconActivity,
  IconBan,
  IconBell,
  IconCloud,
  IconCoin,
  IconFileCertificate,
  IconFingerprint,
  IconGauge,
  IconGavel,
  IconHome,
  IconKey,
  IconList,
  IconMessages,
  IconPlugConnected,
  IconRobot,
} from '@tabler/icons-react';
import type { OfInstallation } from '../api/permissions.ts';
import { usePermissions, useSession } from '../api/session.ts';

const groups = ['Watch', 'Govern', 'Prove', 'Set up'] as const;
type Icon = typeof IconHome;

/** Where a screen stands in the navigation, the command palette and the keys; after `g`, its letter leads to it. */
type Place = readonly [group: (typeof groups)[number], name: string, letter: string, icon: Icon];

/** @param load its code, when it is first wanted: the file's one export whose name ends with `Screen` */
const screen = <const Path extends `/${string}`>(
  path: Path,
  load: () => Promise<object>,
  place?: Place,
  /** Only in the extended edition. */
  extended = false,
  needs?: OfInstallation,
) => ({ path, load, place, extended, needs });

/** Every screen: router, navigation, command palette and keys derive from these rows. Links alone lead to those without a place. */
export const screens = [
  screen('/', () => import('../screens/now/now-screen.tsx'), ['Watch', 'Now', 'n', IconHome]),
  screen('/alerts', () => import('../screens/alerts/alerts-screen.tsx'), ['Watch', 'Alerts', 't', IconBell]),
  screen('/alerts/rules', () => import('../screens/alerts/rules-screen.tsx')),
  screen('/live', () => import('../screens/live/live-screen.tsx'), ['Watch', 'Live', 'l', IconActivity]),
  screen('/events', () => import('../screens/events-screen.tsx'), ['Watch', 'Events', 'e', IconList]),
  screen('/events/$eventId', () => import('../screens/event-screen.tsx')),
  screen('/refusals', () => import('../screens/refusals-screen.tsx'), ['Watch', 'Refusals', 'r', IconBan]),
  screen('/find', () => import('../screens/find-screen.tsx')),
  screen('/sessions', () => import('../screens/sessions-screen.tsx'), ['Watch', 'Sessions', 's', IconMessages], true),
  screen('/sessions/$sessionId', () => import('../screens/session-screen.tsx')),
  screen('/providers', () => import('../screens/providers-screen.tsx'), ['Watch', 'Providers', 'p', IconCloud]),
  screen('/agents', () => import('../screens/agents-screen.tsx'), ['Govern', 'Agents', 'a', IconRobot]),
  screen('/agents/$agentId', () => import('../screens/agent/agent-screen.tsx')),
  screen('/policies', () => import('../screens/policies/policies-screen.tsx'), ['Govern', 'Policies', 'y', IconGavel]),
  screen('/policies/$policyId', () => import('../screens/policies/policy-screen.tsx')),
  screen('/budgets', () => import('../screens/budgets/budgets-screen.tsx'), ['Govern', 'Budgets', 'b', IconGauge]),
  screen('/costs', () => import('../screens/costs/costs-screen.tsx'), ['Govern', 'Costs', 'c', IconCoin]),
  screen('/audit', () => import('../screens/audit/audit-screen.tsx'), ['Prove', 'Audit log', 'u', IconFileCertificate]),
  screen('/start', () => import('../screens/start/start-screen.tsx'), [
    'Set up',
    'Connect an agent',
    'o',
    IconPlugConnected,
  ]),
  screen(
    '/identities',
    () => import('../screens/identities/identities-screen.tsx'),
    ['Set up', 'Identities', 'i', IconFingerprint],
    false,
    'identities',
  ),
  screen('/keys', () => import('../screens/keys/keys-screen.tsx'), ['Set up', 'Keys and tokens', 'k', IconKey]),
] as const;

/** Screens with a place that this edition and the session have, by what somebody wants to do. */
export function usePlaces() {
  const { edition } = useSession();
  const may = usePermissions();
  const places = screens.flatMap(({ path, place, extended, needs }) => {
    if (!place || (extended && edition !== 'extended') || (needs && !may[needs])) return [];
    const [group, name, letter, icon] = place;
    return { to: path, group, name, letter, icon };
  });
  return { places, groups };
}
