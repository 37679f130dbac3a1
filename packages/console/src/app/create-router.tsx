import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent as load,
} from '@tanstack/react-router';
import {
  readAgentsSearch,
  readAuditSearch,
  readBudgetsSearch,
  readCostsSearch,
  readEventsSearch,
  readFindSearch,
  readKeysSearch,
  readLiveSearch,
  readRefusalsSearch,
  readSessionsSearch,
} from '../search/screen-searches.ts';
import type { RawSearch } from '../search/search.ts';
import { ScreenFault, UnknownPlace } from './fault-pages.tsx';
import { Frame } from './frame.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: UnknownPlace });
const getParentRoute = () => root;

/** A screen's code is loaded when it is first wanted. */
const screen = <const Path extends string, Search extends object = object>(
  path: Path,
  component: ReturnType<typeof load>,
  validateSearch?: (raw: RawSearch) => Search,
) => createRoute({ getParentRoute, path, component, ...(validateSearch && { validateSearch }) });

const tree = root.addChildren([
  screen(
    '/',
    load(() => import('../screens/now/now-screen.tsx'), 'NowScreen'),
  ),
  screen(
    '/live',
    load(() => import('../screens/live/live-screen.tsx'), 'LiveScreen'),
    readLiveSearch,
  ),
  screen(
    '/events',
    load(() => import('../screens/events-screen.tsx'), 'EventsScreen'),
    readEventsSearch,
  ),
  screen(
    '/events/$eventId',
    load(() => import('../screens/event-screen.tsx'), 'EventScreen'),
  ),
  screen(
    '/refusals',
    load(() => import('../screens/refusals-screen.tsx'), 'RefusalsScreen'),
    readRefusalsSearch,
  ),
  screen(
    '/find',
    load(() => import('../screens/find-screen.tsx'), 'FindScreen'),
    readFindSearch,
  ),
  screen(
    '/sessions',
    load(() => import('../screens/sessions-screen.tsx'), 'SessionsScreen'),
    readSessionsSearch,
  ),
  screen(
    '/sessions/$sessionId',
    load(() => import('../screens/session-screen.tsx'), 'SessionScreen'),
  ),
  screen(
    '/agents',
    load(() => import('../screens/agents-screen.tsx'), 'AgentsScreen'),
    readAgentsSearch,
  ),
  screen(
    '/agents/$agentId',
    load(() => import('../screens/agent/agent-screen.tsx'), 'AgentScreen'),
  ),
  screen(
    '/budgets',
    load(() => import('../screens/budgets-screen.tsx'), 'BudgetsScreen'),
    readBudgetsSearch,
  ),
  screen(
    '/costs',
    load(() => import('../screens/costs/costs-screen.tsx'), 'CostsScreen'),
    readCostsSearch,
  ),
  screen(
    '/audit',
    load(() => import('../screens/audit/audit-screen.tsx'), 'AuditScreen'),
    readAuditSearch,
  ),
  screen(
    '/start',
    load(() => import('../screens/start/start-screen.tsx'), 'StartScreen'),
  ),
  screen(
    '/keys',
    load(() => import('../screens/keys/keys-screen.tsx'), 'KeysScreen'),
    readKeysSearch,
  ),
]);

/** Every address of the console and its screen. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: ScreenFault as ErrorRouteComponent,
    defaultNotFoundComponent: UnknownPlace,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
