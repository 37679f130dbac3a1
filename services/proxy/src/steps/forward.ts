import type { CallMeter } from '@agp/metering';
import { isEnforced, judgePlace, type RuleSet } from '@agp/policy';
import { EgressProxyError } from '@agp/runtime/egress';
import type { Dispatcher } from 'undici';
import { AskingUpstream } from '../answer/ask-again.ts';
import { FailingOver } from '../answer/fail-over.ts';
import { Relay } from '../answer/relay.ts';
import type { Setup, Working } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { hasEnded, moveTo, noteMoved } from '../head/endpoints.ts';
import type { AdmittedRequest, Answer, StopReason } from '../journey.ts';
import { findStop, noteEndpoint } from '../policy/judge.ts';
import type { Provider } from '../settings/provider.ts';
import type { RequestTrace } from '../telemetry/request-trace.ts';

/** @returns how the call ended, once the last byte is out; failures of provider or agent do not reject it */
export function forward(
  context: Setup & Working,
  exchange: Exchange,
  request: AdmittedRequest,
  meter: CallMeter,
  trace: RequestTrace | null,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const running = {
    agentId: request.agent.uuid,
    rules: request.admission.rules,
    judgedVersion: request.admission.rules?.version ?? 0,
    stop(reason: StopReason) {
      if (relay.stop(reason) && reason !== 'proxy_stopping') context.metrics.killed.inc({ reason });
    },
    async judgeAgain(rules: RuleSet) {
      if (running.judgedVersion === rules.version) return;
      running.rules = rules;
      running.judgedVersion = rules.version;
      const denied = await findStop(context, request, rules).catch((error: unknown) => {
        running.judgedVersion = 0;
        throw error;
      });
      if (denied) relay.stop('policy_denied', denied);
    },
  };
  const done = context.runningRequests.add(running);
  const { upstreamTimeoutSeconds, refusalContact } = context.config;
  const patience = { patienceMs: upstreamTimeoutSeconds * 1_000, contact: refusalContact };
  const first = request.head.provider;
  const relay = new Relay(exchange, request, patience, meter, (answer) => {
    done();
    const { head, sessionId } = request;
    if (head.provider !== first && answer.status !== null && answer.status < 400) noteMoved(context, head, sessionId);
    if (answer.denied !== null) context.metrics.killed.inc({ reason: 'policy_denied' });
    resolve(answer);
  });
  // An agent that left during admission sends no `close` any more.
  if (exchange.response.destroyed) relay.onAgentClose();
  else relay.dispatch(findUpstream(context, request, relay, running), trace);
  return promise;
}

interface Judged {
  /** The last that came while a request runs. */
  rules: RuleSet | null;
  /** Of the rules that last judged it, at its endpoint. */
  judgedVersion: number;
}

/** Names what one account keeps: a response, a conversation, a file, a cache, a container. */
const naming =
  /"(?:previous_response_id|previous_interaction_id|conversation|file_id|file_ids|fileUri|file_uri|cachedContent|cached_content|container|vector_store_ids|batch_id)"\s*:\s*[["{]/;

function findUpstream(context: Setup & Working, request: AdmittedRequest, relay: Relay, running: Judged) {
  const { metrics, warnings } = context;
  const { head, body } = request;
  const find = (endpoint: Provider) => context.upstreams.find(endpoint, () => relay.forgetSent());
  const upstream = head.next === null ? find(head.provider) : openFailingOver(context, request, relay, running, find);
  if (!body.inspected?.usageAsked) return upstream;
  const { bytes } = body.inspected;
  // What one caller wrote, or a version that its query names, says nothing of the provider.
  const isUsual = head.query === '' && bytes.indexOf('"stream"') === bytes.lastIndexOf('"stream"');
  return new AskingUpstream(upstream, body, () => {
    if (isUsual && /"stream"\s*:\s*true/.test(bytes.toString('latin1'))) head.provider.asksForUsage = false;
    metrics.usageRefused.inc({ provider: head.provider.id });
    warnings.usageRefused(head.provider.id);
  });
}

/** A body that streams through cannot be sent again, and what is no call, or names what an account keeps, is of one endpoint alone. */
function openFailingOver(
  context: Setup & Working,
  request: AdmittedRequest,
  relay: Relay,
  running: Judged,
  find: (endpoint: Provider) => Dispatcher,
) {
  const { head } = request;
  const { toProvider } = request.body;
  if (head.operation === null || !Buffer.isBuffer(toProvider)) return find(head.provider);
  return new FailingOver(find, head, (reason, error) => {
    if (head.next === null || hasEnded(head.next) || naming.test(toProvider.toString('latin1'))) return false;
    const { id, endpoint } = head.provider;
    const { rules } = running;
    const moved = { ...request, head: { ...head, provider: head.next } };
    const governed = noteEndpoint(context, moved, rules);
    if (rules !== null && governed.facts !== null && judgePlace(rules, governed.facts).some(isEnforced)) return false;
    context.metrics.failovers.inc({ provider: id, endpoint: String(endpoint), reason });
    if (error instanceof EgressProxyError) context.warnings.egressFailed(error);
    if (error === null) relay.forgetSent();
    moveTo(head, head.next, null);
    if (head.keyUse !== null) head.keyUse.isUsed = true;
    request.governed = governed;
    running.judgedVersion = rules?.version ?? 0;
    return true;
  });
}
