import { ApiError } from '@agp/core/errors';
import { describeForwarded } from './budget/send-forwarded.ts';
import type { ProxyContext } from './context.ts';
import { buildRequestEvent } from './events/build-event.ts';
import { publishEvent, takeStamp } from './events/publish-event.ts';
import type { Exchange } from './exchange.ts';
import { chooseEndpoint, freshenKey } from './head/endpoints.ts';
import type { Agent } from './identity/workload.ts';
import type { Admission, Head, Journey } from './journey.ts';
import { admit } from './steps/admit.ts';
import { claimSession } from './steps/claim-session.ts';
import { countEarly } from './steps/count-early.ts';
import { finish } from './steps/finish.ts';
import { forward } from './steps/forward.ts';
import { govern } from './steps/govern.ts';
import { identify } from './steps/identify.ts';
import { meter, openMeter } from './steps/meter.ts';
import { promisePlaces } from './steps/promise-places.ts';
import { readBody } from './steps/read-body.ts';
import { readHead } from './steps/read-head.ts';
import { reserve } from './steps/reserve.ts';
import { resolveSession } from './steps/resolve-session.ts';
import { takePlace } from './steps/take-place.ts';
import { tellProvider } from './steps/tell-provider.ts';
import { StorageDeadline } from './storage/storage-deadline.ts';
import { RequestTrace } from './telemetry/request-trace.ts';
import { timeSteps } from './telemetry/times.ts';

/** An admission older than this, in milliseconds, is read again: the agent may have been blocked since. */
const admissionHoldsMs = 50;

const isStale = ({ admittedAt }: Admission) => performance.now() - admittedAt > admissionHoldsMs;

type Entered = { head: Head; agent: Agent; admission: Admission };

/** Issuers may change while a request is identified by them: then all of it is read again. @param read its head, as read before */
async function enter(
  context: ProxyContext,
  exchange: Exchange,
  journey: Journey,
  read: Head,
  begin: (step: 'identify' | 'admit') => void,
  deadline: StorageDeadline,
): Promise<Entered> {
  for (let head = read; ; head = readHead(context, exchange)) {
    journey.head = head;
    begin('identify');
    const agent = await identify(context, head, deadline);
    if (agent === null) continue;
    journey.agent = agent;
    begin('admit');
    const admission = await admit(context, head, agent, deadline.at);
    if (admission !== null) return { head, agent, admission };
    delete journey.agent;
  }
}

/** @throws ApiError `unauthorized_agent` if by what the issuers are now it is another agent, or shows another token */
async function enterAgain(
  context: ProxyContext,
  exchange: Exchange,
  { head, agent }: Entered,
  deadline: StorageDeadline,
): Promise<Admission> {
  const again = await enter(context, exchange, {}, readHead(context, exchange), () => {}, deadline);
  if (again.agent.uuid !== agent.uuid || again.head.jwt?.sha256 !== head.jwt?.sha256)
    throw new ApiError('unauthorized_agent', 'identities have changed while the request was on its way: send it again');
  head.identityVersion = again.head.identityVersion;
  return again.admission;
}

/**
 * Most steps take what earlier ones returned; `takePlace` and `promisePlaces` are held to their order here alone. `finish` runs once,
 * however a request ends.
 */
export async function handleRequest(context: ProxyContext, exchange: Exchange): Promise<void> {
  const journey: Journey = {};
  const trace = context.tracing && new RequestTrace(context.tracing, exchange);
  const begin = timeSteps(context.metrics);
  context.load.running += 1;
  try {
    const early = new StorageDeadline(exchange.arrived + context.config.storageTimeoutMs);
    begin('readHead');
    // Before the parser finds fault with the body.
    const read = readHead(context, exchange);
    const entered = await enter(context, exchange, journey, read, begin, early);
    const { head, agent } = entered;
    let { admission } = entered;
    await context.joinGroup();
    // A named session is judged before a place is taken; for an unnamed one Redis is asked, which needs a place.
    if (head.sessionName === null) journey.place = takePlace(context, head, agent);
    begin('resolveSession');
    const session = await resolveSession(context, head, agent, admission);
    journey.sessionId = session.id;
    journey.place ??= takePlace(context, head, agent);
    if (head.provider.endpoints.length > 0) chooseEndpoint(context, head, session.id);
    begin('readBody');
    const counted = await countEarly(context, exchange, head, agent, admission, early);
    const body = await readBody(context, exchange, head, agent, admission, counted);
    journey.body = body;
    const deadline = new StorageDeadline(performance.now() + context.config.storageTimeoutMs);
    const admitAgain = async () => {
      begin('admit');
      const again = await admit(context, head, agent, deadline.at);
      return again ?? enterAgain(context, exchange, entered, deadline);
    };
    // An agent whose body took its time may be under another cap by now.
    if (isStale(admission)) admission = await admitAgain();
    let governed = await govern(context, head, agent, admission, body, session.id);
    journey.governed = governed;
    begin('reserve');
    const reservation = await reserve(
      context,
      head,
      agent,
      admission,
      body,
      governed.facts,
      session,
      counted,
      deadline,
    );
    journey.reservation = reservation;
    begin('claimSession');
    const sessionId = await claimSession(context, head, agent, admission, session, deadline.at);
    journey.sessionId = sessionId;
    if (isStale(admission)) {
      admission = await admitAgain();
      // Rules, labels or tag may be others by now.
      governed = await govern(context, head, agent, admission, body, session.id);
      journey.governed = governed;
    }

    freshenKey(head);
    body.endSearch();
    // Values that were found need not be kept while the call runs.
    body.searched = null;
    const request = { head, agent, admission, sessionId, body, reservation, governed };
    if (head.provider.writesMetadata) await tellProvider(context, request);
    const callMeter = openMeter(context, request);
    journey.meter = callMeter;
    journey.promisedPlaces = promisePlaces(context, head);
    await context.budget.markForwarded(reservation.eventId, describeForwarded(request));
    if (head.requestEventId) {
      publishEvent(context, buildRequestEvent(request, takeStamp(context)));
      journey.promisedPlaces -= 1;
      context.load.promised -= 1;
    }
    journey.forwarded = { request, stamp: takeStamp(context) };
    begin('forward');
    journey.answer = await forward(context, exchange, request, callMeter, trace);
    begin('meter');
    // Nobody waits for what is recorded: what others have sent meanwhile is read first.
    await new Promise(setImmediate);
    journey.measurement = await meter(context, request, callMeter, journey.answer);
  } catch (error) {
    journey.error = error;
  } finally {
    context.load.running -= 1;
    context.load.promised -= journey.promisedPlaces ?? 0;
    begin('finish');
    finish(context, exchange, journey, trace);
    begin(null);
  }
}
