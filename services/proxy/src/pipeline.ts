import { describeForwarded } from './budget/send-forwarded.ts';
import type { ProxyContext } from './context.ts';
import { buildRequestEvent } from './events/build-event.ts';
import { publishEvent, takeStamp } from './events/publish-event.ts';
import type { Exchange } from './exchange.ts';
import type { Admission, Journey } from './journey.ts';
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
import { StorageDeadline } from './storage/storage-deadline.ts';
import { RequestTrace } from './telemetry/request-trace.ts';
import { timeSteps } from './telemetry/times.ts';

/** An admission older than this, in milliseconds, is read again: the agent may have been blocked since. */
const admissionHoldsMs = 50;

const isStale = ({ admittedAt }: Admission) => performance.now() - admittedAt > admissionHoldsMs;

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
    begin('readHead');
    const head = readHead(context, exchange);
    journey.head = head;
    begin('identify');
    const agent = await identify(context, head);
    journey.agent = agent;
    begin('admit');
    const early = new StorageDeadline(head.arrived + context.config.storageTimeoutMs);
    let admission = await admit(context, head, agent, early.at);
    // A named session is judged before a place is taken; for an unnamed one Redis is asked, which needs a place.
    if (head.sessionName === null) journey.place = takePlace(context, head, agent);
    begin('resolveSession');
    const session = await resolveSession(context, head, agent, admission);
    journey.sessionId = session.id;
    journey.place ??= takePlace(context, head, agent);
    begin('readBody');
    const counted = await countEarly(context, exchange, head, agent, admission, early);
    const body = await readBody(context, exchange, head, agent, admission, counted);
    journey.body = body;
    const deadline = new StorageDeadline(performance.now() + context.config.storageTimeoutMs);
    const admitAgain = () => {
      begin('admit');
      return admit(context, head, agent, deadline.at);
    };
    // An agent whose body took its time may be under another cap by now.
    if (isStale(admission)) admission = await admitAgain();
    let governed = await govern(context, head, agent, admission, body);
    begin('reserve');
    const reservation = await reserve(context, head, agent, admission, body, session, counted, deadline);
    journey.reservation = reservation;
    begin('claimSession');
    const sessionId = await claimSession(context, head, agent, admission, session, deadline.at);
    journey.sessionId = sessionId;
    if (isStale(admission)) {
      admission = await admitAgain();
      // Rules, labels or tag may be others by now.
      governed = await govern(context, head, agent, admission, body);
    }

    const request = { head, agent, admission, sessionId, body, reservation, governed };
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
