import type { Route } from '../define-route.ts';
import { createKeyRoute } from './create-key.ts';
import { deleteKeyRoute } from './delete-key.ts';
import { getAgentRoute } from './get-agent.ts';
import { getCostBreakdownRoute } from './get-cost-breakdown.ts';
import { getCostSummaryRoute } from './get-cost-summary.ts';
import { getEventRoute } from './get-event.ts';
import { getLineageRoute } from './get-lineage.ts';
import { getOpenapiRoute } from './get-openapi.ts';
import { getSessionRoute } from './get-session.ts';
import { listAgentEventsRoute } from './list-agent-events.ts';
import { listAgentsRoute } from './list-agents.ts';
import { listEventsRoute } from './list-events.ts';
import { listKeysRoute } from './list-keys.ts';
import { listSessionEventsRoute } from './list-session-events.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { listUnpricedModelsRoute } from './list-unpriced-models.ts';
import { retireAgentRoute } from './retire-agent.ts';
import { showDocsRoute } from './show-docs.ts';
import { showStartPageRoute } from './show-start-page.ts';
import { streamEventsRoute } from './stream-events.ts';
import { updateAgentRoute } from './update-agent.ts';

/** Every endpoint. Express takes the first that matches, so fixed paths stand before those with parameters. */
export function listRoutes(): readonly Route[] {
  const routes: Route[] = [
    listAgentsRoute,
    getAgentRoute,
    updateAgentRoute,
    retireAgentRoute,
    listAgentEventsRoute,
    listEventsRoute,
    streamEventsRoute,
    listSessionEventsRoute,
    getEventRoute,
    listSessionsRoute,
    getSessionRoute,
    getCostSummaryRoute,
    getCostBreakdownRoute,
    listUnpricedModelsRoute,
    getLineageRoute,
    createKeyRoute,
    listKeysRoute,
    deleteKeyRoute,
    getOpenapiRoute(() => routes),
    showDocsRoute,
    showStartPageRoute,
  ];
  return routes;
}
