import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
} from '@tanstack/react-router';
import {
  readAgentsSearch,
  readAuditSearch,
  readCostsSearch,
  readEventsSearch,
  readLiveSearch,
  readRefusalsSearch,
  readSessionsSearch,
} from '../search/screen-searches.ts';
import { readFindSearch, readKeysSearch, readPageSearch, takeKnown } from '../search/search.ts';
import { ScreenFault, UnknownPlace } from './fault-pages.tsx';
import { Frame } from './frame.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: UnknownPlace });
const under = { getParentRoute: () => root } as const;

const now = createRoute({
  ...under,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/now/now-screen.tsx'), 'NowScreen'),
});
const live = createRoute({
  ...under,
  path: '/live',
  validateSearch: takeKnown(readLiveSearch),
  component: lazyRouteComponent(() => import('../screens/live/live-screen.tsx'), 'LiveScreen'),
});
const events = createRoute({
  ...under,
  path: '/events',
  validateSearch: takeKnown(readEventsSearch),
  component: lazyRouteComponent(() => import('../screens/events-screen.tsx'), 'EventsScreen'),
});
const event = createRoute({
  ...under,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('../screens/event-screen.tsx'), 'EventScreen'),
});
const refusals = createRoute({
  ...under,
  path: '/refusals',
  validateSearch: takeKnown(readRefusalsSearch),
  component: lazyRouteComponent(() => import('../screens/refusals-screen.tsx'), 'RefusalsScreen'),
});
const find = createRoute({
  ...under,
  path: '/find',
  validateSearch: takeKnown(readFindSearch),
  component: lazyRouteComponent(() => import('../screens/find-screen.tsx'), 'FindScreen'),
});
const sessions = createRoute({
  ...under,
  path: '/sessions',
  validateSearch: takeKnown(readSessionsSearch),
  component: lazyRouteComponent(() => import('../screens/sessions-screen.tsx'), 'SessionsScreen'),
});
const session = createRoute({
  ...under,
  path: '/sessions/$sessionId',
  component: lazyRouteComponent(() => import('../screens/session-screen.tsx'), 'SessionScreen'),
});
const agents = createRoute({
  ...under,
  path: '/agents',
  validateSearch: takeKnown(readAgentsSearch),
  component: lazyRouteComponent(() => import('../screens/agents-screen.tsx'), 'AgentsScreen'),
});
const agent = createRoute({
  ...under,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('../screens/agent/agent-screen.tsx'), 'AgentScreen'),
});
const budgets = createRoute({
  ...under,
  path: '/budgets',
  validateSearch: takeKnown(readPageSearch),
  component: lazyRouteComponent(() => import('../screens/budgets-screen.tsx'), 'BudgetsScreen'),
});
const costs = createRoute({
  ...under,
  path: '/costs',
  validateSearch: takeKnown(readCostsSearch),
  component: lazyRouteComponent(() => import('../screens/costs/costs-screen.tsx'), 'CostsScreen'),
});
const audit = createRoute({
  ...under,
  path: '/audit',
  validateSearch: takeKnown(readAuditSearch),
  component: lazyRouteComponent(() => import('../screens/audit/audit-screen.tsx'), 'AuditScreen'),
});
const start = createRoute({
  ...under,
  path: '/start',
  component: lazyRouteComponent(() => import('../screens/start/start-screen.tsx'), 'StartScreen'),
});
const keys = createRoute({
  ...under,
  path: '/keys',
  validateSearch: takeKnown(readKeysSearch),
  component: lazyRouteComponent(() => import('../screens/keys/keys-screen.tsx'), 'KeysScreen'),
});

const tree = root.addChildren([
  now,
  live,
  events,
  event,
  refusals,
  find,
  sessions,
  session,
  agents,
  agent,
  budgets,
  costs,
  audit,
  start,
  keys,
]);

/** Every address of the console and its screen; a screen's code is loaded when it is first wanted. */
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
