import type { CallMeter } from '@agp/metering';
import type { RuleSet } from '@agp/policy';
import { EgressProxyError } from '@agp/runtime/egress';
import type { Dispatcher } from 'undici';
import { AskingUpstream } from '../answer/ask-again.ts';
import { FailingOver } from '../answer/fail-over.ts';
import { Relay } from '../answer/relay.ts';
import type { Setup, Working } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { moveTo, noteMoved } from '../head/endpoints.ts';
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
    judgedVersion: request.admission.rules?.version ?? 0,
    stop(reason: StopReason) {
      if (relay.stop(reason) && reason !== 'proxy_stopping') context.metrics.killed.inc({ reason });
    },
    async judgeAgain(rules: RuleSet) {
      if (running.judgedVersion === rules.version) return;
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
  /** Of the rules that last judged a request, at its endpoint. */
  judgedVersion: number;
}

function findUpstream(context: Setup & Working, request: AdmittedRequest, relay: Relay, running: Judged) {
  const { metrics, warnings } = context;
  const { head, body } = request;
  const { proxy } = head.provider;
  const direct = proxy ? (context.proxied.get(proxy) ?? context.upstream) : context.upstream;
  const upstream = head.next === null ? direct : openFailingOver(context, request, relay, running, direct);
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

/** A body that streams through cannot be sent again, and what is no call may be of what one endpoint alone keeps. */
function openFailingOver(
  context: Setup & Working,
  request: AdmittedRequest,
  relay: Relay,
  running: Judged,
  direct: Dispatcher,
) {
  const { head, admission, body } = request;
  if (head.operation === null || !Buffer.isBuffer(body.toProvider)) return direct;
  const find = ({ proxy }: Provider) => (proxy && context.proxied.get(proxy)) ?? context.upstream;
  return new FailingOver(find, head, (reason, error) => {
    const { id, endpoint } = head.provider;
    context.metrics.failovers.inc({ provider: id, endpoint: String(endpoint), reason });
    if (error instanceof EgressProxyError) context.warnings.egressFailed(error);
    if (error === null) relay.forgetSent();
    if (head.next !== null) moveTo(head, head.next, null);
    if (head.keyUse !== null) head.keyUse.isUsed = true;
    request.governed = noteEndpoint(context, request, admission.rules);
    // Rules that came since have not judged it there.
    running.judgedVersion = admission.rules?.version ?? 0;
  });
}
