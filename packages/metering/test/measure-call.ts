import { makeHead, openMetering } from './open-metering.ts';

export const lenient = openMetering();
export const caps = { isCapped: true, mayRefuse: true };
export const holder = { agentId: 'a', source: null };
export const end = { outcome: 'completed', sent: true, status: 200, streamed: false } as const;

/** The type of forms that tests send as bytes. */
export const formType = 'multipart/form-data; boundary=b';

export interface Answered {
  contentType?: string;
  headers?: Record<string, string>;
  body: object | string;
}

interface Given {
  serviceTier?: string | null;
  isCapped?: boolean;
  method?: string;
  timestamp?: number;
  claimBill?(bill: string): Promise<boolean>;
}

/** The measurement of a call under a cap, and its reservation. */
export async function measure(
  path: string,
  body: object,
  { contentType = 'application/json', headers, body: answer }: Answered,
  metering = lenient,
  provider = 'openai',
  { serviceTier = null, isCapped = true, method = 'POST', timestamp, claimBill = async () => true }: Given = {},
) {
  const head = makeHead(provider, path, { serviceTier, method, ...(timestamp !== undefined && { timestamp }) });
  if (!head.operation) throw new Error(`no operation at ${path}`);
  const form = { contentType: Buffer.isBuffer(body) ? formType : 'application/json', contentEncoding: '' };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const inspected = metering.inspect(head.operation, head, bytes, form, caps);
  const nanoUsd = metering.findReservation(head, inspected, caps);
  const reservation = { nanoUsd, isCapped };
  const meter = metering.open({
    head,
    holder,
    body: inspected,
    reservation,
    claimBill,
    findClaim: async () => null,
  });
  const tap = meter.openPipe({ 'content-type': contentType, ...headers });
  tap?.push(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)));
  return { reserved: nanoUsd, ...(await meter.measure(end)) };
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** An answer that is a stream. */
export const sse = (...frames: object[]) => ({ contentType: 'text/event-stream', body: frames.map(event).join('') });
