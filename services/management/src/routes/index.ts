import type { Route } from '../define-route.ts';
import { agentTokenRoutes } from './agent-tokens.ts';
import { agentRoutes } from './agents.ts';
import { alertRoutes } from './alerts.ts';
import { auditRoutes } from './audit.ts';
import { budgetRoutes } from './budgets.ts';
import { consoleRoutes } from './console.ts';
import { costRoutes } from './costs.ts';
import { makeDocsRoutes } from './docs.ts';
import { eventRoutes } from './events.ts';
import { identityRoutes } from './identities.ts';
import { keyRoutes } from './keys.ts';
import { limitRoutes } from './limits.ts';
import { lineageRoutes } from './lineage.ts';
import { namedBudgetRoutes } from './named-budgets.ts';
import { notificationRoutes } from './notifications.ts';
import { pauseRoutes } from './pause.ts';
import { policyRoutes } from './policies.ts';
import { priceRoutes } from './prices.ts';
import { providerKeyRoutes } from './provider-keys.ts';
import { refusalRoutes } from './refusals.ts';
import { sessionRoutes } from './sessions.ts';
import { statusRoutes } from './status.ts';
import { viewRoutes } from './views.ts';

/** Express takes the first that matches, so each list has fixed paths before those with parameters. */
export function listRoutes(): readonly Route[] {
  const routes: Route[] = [
    ...[
      agentRoutes,
      eventRoutes,
      sessionRoutes,
      costRoutes,
      budgetRoutes,
      namedBudgetRoutes,
      limitRoutes,
      pauseRoutes,
      policyRoutes,
      lineageRoutes,
    ],
    ...[refusalRoutes, statusRoutes, priceRoutes, alertRoutes, notificationRoutes],
    ...[
      keyRoutes,
      agentTokenRoutes,
      providerKeyRoutes,
      identityRoutes,
      consoleRoutes,
      viewRoutes,
      auditRoutes,
      makeDocsRoutes(() => routes),
    ],
  ].flat();
  return routes;
}
