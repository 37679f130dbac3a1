import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  readAgentsSearch,
  readAuditSearch,
  readBudgetsSearch,
  readCostsSearch,
  readEventsSearch,
  readFindSearch,
  readKeysSearch,
  readLiveSearch,
  readNowSearch,
  readProvidersSearch,
  readRefusalsSearch,
  readSessionsSearch,
} from '../search/screen-searches.ts';
import type { RawSearch } from '../search/search.ts';
import { ScreenFault, UnknownPlace } from './fault-pages.tsx';
import { Frame } from './frame.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: UnknownPlace });
const getParentRoute = () => root;

/** The code of a screen is loaded when it is first wanted. */
const files = {
  NowScreen: () => import('../screens/now/now-screen.tsx'),
  LiveScreen: () => import('../screens/live/live-screen.tsx'),
  EventsScreen: () => import('../screens/events-screen.tsx'),
  EventScreen: () => import('../screens/event-screen.tsx'),
  RefusalsScreen: () => import('../screens/refusals-screen.tsx'),
  FindScreen: () => import('../screens/find-screen.tsx'),
  SessionsScreen: () => import('../screens/sessions-screen.tsx'),
  SessionScreen: () => import('../screens/session-screen.tsx'),
  AgentsScreen: () => import('../screens/agents-screen.tsx'),
  AgentScreen: () => import('../screens/agent/agent-screen.tsx'),
  ProvidersScreen: () => import('../screens/providers-screen.tsx'),
  PoliciesScreen: () => import('../screens/policies/policies-screen.tsx'),
  PolicyScreen: () => import('../screens/policies/policy-screen.tsx'),
  BudgetsScreen: () => import('../screens/budgets-screen.tsx'),
  CostsScreen: () => import('../screens/costs/costs-screen.tsx'),
  AuditScreen: () => import('../screens/audit/audit-screen.tsx'),
  StartScreen: () => import('../screens/start/start-screen.tsx'),
  KeysScreen: () => import('../screens/keys/keys-screen.tsx'),
};

const screen = <const Path extends string, Search extends object = object>(
  path: Path,
  name: keyof typeof files,
  validateSearch?: (raw: RawSearch) => Search,
) => {
  const component = lazyRouteComponent(files[name] as () => Promise<Record<string, () => ReactNode>>, name);
  return createRoute({ getParentRoute, path, component, ...(validateSearch && { validateSearch }) });
};

const tree = root.addChildren([
  screen('/', 'NowScreen', readNowSearch),
  screen('/live', 'LiveScreen', readLiveSearch),
  screen('/events', 'EventsScreen', readEventsSearch),
  screen('/events/$eventId', 'EventScreen'),
  screen('/refusals', 'RefusalsScreen', readRefusalsSearch),
  screen('/find', 'FindScreen', readFindSearch),
  screen('/sessions', 'SessionsScreen', readSessionsSearch),
  screen('/sessions/$sessionId', 'SessionScreen'),
  screen('/agents', 'AgentsScreen', readAgentsSearch),
  screen('/agents/$agentId', 'AgentScreen'),
  screen('/providers', 'ProvidersScreen', readProvidersSearch),
  screen('/policies', 'PoliciesScreen'),
  screen('/policies/$policyId', 'PolicyScreen'),
  screen('/budgets', 'BudgetsScreen', readBudgetsSearch),
  screen('/costs', 'CostsScreen', readCostsSearch),
  screen('/audit', 'AuditScreen', readAuditSearch),
  screen('/start', 'StartScreen'),
  screen('/keys', 'KeysScreen', readKeysSearch),
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
