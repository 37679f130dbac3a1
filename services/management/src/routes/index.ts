import type { Route } from '../define-route.ts';
import { createAgentTokenRoute } from './agent-tokens/create-agent-token.ts';
import { deleteAgentTokenRoute } from './agent-tokens/delete-agent-token.ts';
import { listAgentTokensRoute } from './agent-tokens/list-agent-tokens.ts';
import { getAgentRoute } from './agents/get-agent.ts';
import { listAgentsRoute } from './agents/list-agents.ts';
import { listClaimedNamesRoute } from './agents/list-claimed-names.ts';
import { releaseNameRoute } from './agents/release-name.ts';
import { retireAgentRoute } from './agents/retire-agent.ts';
import { updateAgentRoute } from './agents/update-agent.ts';
import { getAuditChainRoute } from './audit/get-audit-chain.ts';
import { listAuditRoute } from './audit/list-audit.ts';
import { verifyAuditRoute } from './audit/verify-audit.ts';
import { listBudgetsRoute } from './budgets/list-budgets.ts';
import { setAgentBudgetRoute } from './budgets/set-agent-budget.ts';
import { setDefaultBudgetRoute } from './budgets/set-default-budget.ts';
import { setGlobalBudgetRoute } from './budgets/set-global-budget.ts';
import { getCostBreakdownRoute } from './costs/get-cost-breakdown.ts';
import { getCostSummaryRoute } from './costs/get-cost-summary.ts';
import { listDoubtfulUsageRoute } from './costs/list-doubtful-usage.ts';
import { listUnpricedModelsRoute } from './costs/list-unpriced-models.ts';
import { listUnrecordedRoute } from './costs/list-unrecorded.ts';
import { getOpenapiRoute } from './docs/get-openapi.ts';
import { showDocsRoute } from './docs/show-docs.ts';
import { showStartPageRoute } from './docs/show-start-page.ts';
import { getEventRoute } from './events/get-event.ts';
import { listAgentEventsRoute } from './events/list-agent-events.ts';
import { listEventsRoute } from './events/list-events.ts';
import { streamEventsRoute } from './events/stream-events.ts';
import { createKeyRoute } from './keys/create-key.ts';
import { deleteKeyRoute } from './keys/delete-key.ts';
import { listKeysRoute } from './keys/list-keys.ts';
import { rotateKeyRoute } from './keys/rotate-key.ts';
import { listLimitsRoute } from './limits/list-limits.ts';
import { setAgentLimitRoute } from './limits/set-agent-limit.ts';
import { setDefaultLimitRoute } from './limits/set-default-limit.ts';
import { getLineageRoute } from './lineage/get-lineage.ts';
import { listRemovalsRoute } from './lineage/list-removals.ts';
import { listRemovedLinksRoute } from './lineage/list-removed-links.ts';
import { verifyLineageRoute } from './lineage/verify-lineage.ts';
import { getPauseRoute } from './pause/get-pause.ts';
import { setPauseRoute } from './pause/set-pause.ts';
import { getSessionRoute } from './sessions/get-session.ts';
import { listSessionEventsRoute } from './sessions/list-session-events.ts';
import { listSessionsRoute } from './sessions/list-sessions.ts';

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
    listDoubtfulUsageRoute,
    listUnrecordedRoute,
    listBudgetsRoute,
    setGlobalBudgetRoute,
    setDefaultBudgetRoute,
    setAgentBudgetRoute,
    listLimitsRoute,
    setDefaultLimitRoute,
    setAgentLimitRoute,
    getPauseRoute,
    setPauseRoute,
    listRemovalsRoute,
    verifyLineageRoute,
    listRemovedLinksRoute,
    getLineageRoute,
    createKeyRoute,
    listKeysRoute,
    rotateKeyRoute,
    deleteKeyRoute,
    createAgentTokenRoute,
    listAgentTokensRoute,
    deleteAgentTokenRoute,
    listClaimedNamesRoute,
    releaseNameRoute,
    listAuditRoute,
    getAuditChainRoute,
    verifyAuditRoute,
    getOpenapiRoute(() => routes),
    showDocsRoute,
    showStartPageRoute,
  ];
  return routes;
}
