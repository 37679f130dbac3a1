import type { CallMeter } from '@agp/metering';
import type { RuleSet } from '@agp/policy';
import { AskingUpstream } from '../answer/ask-again.ts';
import { Relay } from '../answer/relay.ts';
import type { Setup, Working } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import type { AdmittedRequest, Answer, StopReason } from '../journey.ts';
import { findStop } from '../policy/judge.ts';
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
  let judgedVersion = request.admission.rules?.version ?? 0;
  const running = {
    agentId: request.agent.uuid,
    stop(reason: StopReason) {
      if (relay.stop(reason) && reason !== 'proxy_stopping') context.metrics.killed.inc({ reason });
    },
    async judgeAgain(rules: RuleSet) {
      if (judgedVersion === rules.version) return;
      const denied = await findStop(context, request, rules);
      judgedVersion = rules.version;
      if (denied) relay.stop('policy_denied', denied);
    },
  };
  const done = context.runningRequests.add(running);
  const { upstreamTimeoutSeconds, refusalContact } = context.config;
  const patience = { patienceMs: upstreamTimeoutSeconds * 1_000, contact: refusalContact };
  const relay = new Relay(exchange, request, patience, meter, (answer) => {
    done();
    if (answer.denied !== null) context.metrics.killed.inc({ reason: 'policy_denied' });
    resolve(answer);
  });
  // An agent that left during admission sends no `close` any more.
  if (exchange.response.destroyed) relay.onAgentClose();
  else relay.dispatch(findUpstream(context, request), trace);
  return promise;
}

function findUpstream({ upstream, metrics, warnings }: Setup & Working, { head, body }: AdmittedRequest) {
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
