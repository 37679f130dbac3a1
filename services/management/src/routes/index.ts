import type { Route } from '../define-route.ts';
import { createAgentTokenRoute } from './create-agent-token.ts';
import { createKeyRoute } from './create-key.ts';
import { deleteAgentTokenRoute } from './delete-agent-token.ts';
import { deleteKeyRoute } from './delete-key.ts';
import { getAgentRoute } from './get-agent.ts';
import { getAuditChainRoute } from './get-audit-chain.ts';
import { getCostBreakdownRoute } from './get-cost-breakdown.ts';
import { getCostSummaryRoute } from './get-cost-summary.ts';
import { getEventRoute } from './get-event.ts';
import { getLineageRoute } from './get-lineage.ts';
import { getOpenapiRoute } from './get-openapi.ts';
import { getPauseRoute } from './get-pause.ts';
import { getSessionRoute } from './get-session.ts';
import { listAgentEventsRoute } from './list-agent-events.ts';
import { listAgentTokensRoute } from './list-agent-tokens.ts';
import { listAgentsRoute } from './list-agents.ts';
import { listAuditRoute } from './list-audit.ts';
import { listBudgetsRoute } from './list-budgets.ts';
import { listClaimedNamesRoute } from './list-claimed-names.ts';
import { listDoubtfulUsageRoute } from './list-doubtful-usage.ts';
import { listEventsRoute } from './list-events.ts';
import { listKeysRoute } from './list-keys.ts';
import { listLimitsRoute } from './list-limits.ts';
import { listRemovalsRoute } from './list-removals.ts';
import { listRemovedLinksRoute } from './list-removed-links.ts';
import { listSessionEventsRoute } from './list-session-events.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { listUnpricedModelsRoute } from './list-unpriced-models.ts';
import { listUnrecordedRoute } from './list-unrecorded.ts';
import { releaseNameRoute } from './release-name.ts';
import { retireAgentRoute } from './retire-agent.ts';
import { rotateKeyRoute } from './rotate-key.ts';
import { setAgentBudgetRoute } from './set-agent-budget.ts';
import { setAgentLimitRoute } from './set-agent-limit.ts';
import { setDefaultBudgetRoute } from './set-default-budget.ts';
import { setDefaultLimitRoute } from './set-default-limit.ts';
import { setGlobalBudgetRoute } from './set-global-budget.ts';
import { setPauseRoute } from './set-pause.ts';
import { showDocsRoute } from './show-docs.ts';
import { showStartPageRoute } from './show-start-page.ts';
import { streamEventsRoute } from './stream-events.ts';
import { updateAgentRoute } from './update-agent.ts';
import { verifyAuditRoute } from './verify-audit.ts';
import { verifyLineageRoute } from './verify-lineage.ts';

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
