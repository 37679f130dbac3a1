import { answerCanned } from './answer-canned.ts';
import { dataFrame, eventFrame } from './canned-answer.ts';
import type { FakeReply, Handler, Step } from './fake-provider.ts';

/** The header that says how the provider is to fail. */
export const faultHeader = 'x-test-fault';

/** An answer with an error status, in the body that each API gives it; `html` is the error page of a gateway before the provider. */
export const errorStatuses = [400, 401, 404, 429, 500, 529] as const;
export type Fault = `${(typeof errorStatuses)[number]}` | 'html' | 'error event' | 'cut' | 'stall' | 'silence';

/** Words that every error of the provider has. */
export const refusal = 'Refused: \u201Cno\u201D \u2014 é';

const types: Record<string, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};
const googleStatuses: Record<string, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  529: 'UNAVAILABLE',
};

function toErrorBody(target: string, status: number): object {
  const type = types[status] ?? 'api_error';
  if (target.includes('/models/')) return { error: { code: status, message: refusal, status: googleStatuses[status] } };
  if (target.includes('/messages'))
    return { type: 'error', error: { type, message: refusal }, request_id: 'req_anthropic_1' };
  return { error: { message: refusal, type, param: null, code: `code_${status}` } };
}

/** How each API says within a stream that it goes no further. */
function toErrorFrame(target: string): string {
  if (target.includes('/models/')) return dataFrame(toErrorBody(target, 500));
  if (target.includes('/messages')) return eventFrame({ type: 'error', ...toErrorBody(target, 529) });
  if (target.includes('/responses'))
    return eventFrame({ type: 'error', code: 'server_error', message: refusal, param: null, sequence_number: 9 });
  return dataFrame(toErrorBody(target, 500));
}

/** The stream's frames up to its second word. */
function beginStream(reply: FakeReply): Step[] {
  const { steps } = reply.body as { steps: Step[] };
  return steps.slice(0, steps.findIndex((step) => typeof step === 'string' && step.includes('" answer"')) + 1);
}

/** Fails as the request's {@link faultHeader} says; answers normally without it. A stall lasts longer than any test. */
export function answerFault(): Handler {
  const answer = answerCanned();
  return async (request, index) => {
    const fault = request.headers[faultHeader] as Fault | undefined;
    if (fault === 'silence') return { hang: true };
    if (fault === 'html') {
      const body = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
      return { status: 502, headers: { 'content-type': 'text/html' }, body };
    }
    if (fault === 'error event' || fault === 'cut' || fault === 'stall') {
      const reply = await answer(request, index);
      const end: Step =
        fault === 'cut' ? { cut: true } : fault === 'stall' ? { pauseMs: 60_000 } : toErrorFrame(request.target);
      return { ...reply, body: { steps: [...beginStream(reply), end] } };
    }
    if (fault === undefined) return answer(request, index);
    const headers = { 'retry-after': '7', 'x-request-id': 'req_1', 'request-id': 'req_1' };
    return { status: Number(fault), headers, body: toErrorBody(request.target, Number(fault)) };
  };
}
