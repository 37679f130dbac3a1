import { ApiError, type ErrorCode } from '@agp/core/errors';
import { expect, test } from 'vitest';
import { dialects } from '../match-operation.ts';

/** A code of each status that a proxy answers with, and the words of each provider's reference for it. */
const rows: [code: ErrorCode, status: number, openai: string, anthropic: string, gemini: string][] = [
  ['malformed_request', 400, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  ['unauthorized_agent', 401, 'authentication_error', 'authentication_error', 'UNAUTHENTICATED'],
  ['agent_blocked', 403, 'permission_error', 'permission_error', 'PERMISSION_DENIED'],
  ['not_found', 404, 'invalid_request_error', 'not_found_error', 'NOT_FOUND'],
  ['method_not_allowed', 405, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  ['body_too_slow', 408, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  ['session_of_another_agent', 409, 'invalid_request_error', 'conflict_error', 'ALREADY_EXISTS'],
  ['request_too_large', 413, 'invalid_request_error', 'request_too_large', 'INVALID_ARGUMENT'],
  ['foreign_host', 421, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  ['upgrade_required', 426, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  ['agent_budget_exceeded', 429, 'insufficient_quota', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  ['global_budget_exceeded', 429, 'insufficient_quota', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  ['budget_held', 429, 'rate_limit_error', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  ['rate_limited', 429, 'rate_limit_error', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  ['internal', 500, 'server_error', 'api_error', 'INTERNAL'],
  ['not_governed', 501, 'server_error', 'api_error', 'UNIMPLEMENTED'],
  ['provider_unreachable', 502, 'server_error', 'api_error', 'UNAVAILABLE'],
  ['paused', 503, 'server_error', 'overloaded_error', 'UNAVAILABLE'],
  ['provider_timeout', 504, 'server_error', 'timeout_error', 'DEADLINE_EXCEEDED'],
];

test.each(rows)('%s (%i) is refused in the words of each API', (code, status, openai, anthropic, gemini) => {
  const message = 'the text, with its way out: "é"';
  const refusal = new ApiError(code, message);
  const read = (api: keyof typeof dialects) => JSON.parse(dialects[api].formatRefusal(refusal));
  expect(refusal.status).toBe(status);
  expect(read('openai')).toEqual({ error: { message, type: openai, code } });
  expect(read('anthropic')).toEqual({ type: 'error', error: { type: anthropic, message } });
  expect(read('gemini')).toEqual({ error: { code: status, message, status: gemini } });
  expect(read('bedrock')).toEqual({ message });
});

test.each<[ErrorCode, number, string]>([
  ['malformed_request', 400, 'ValidationException'],
  ['unauthorized_agent', 401, 'UnrecognizedClientException'],
  ['agent_blocked', 403, 'AccessDeniedException'],
  ['policy_denied', 403, 'AccessDeniedException'],
  ['not_found', 404, 'ResourceNotFoundException'],
  ['session_of_another_agent', 409, 'ConflictException'],
  ['rate_limited', 429, 'ThrottlingException'],
  ['budget_held', 429, 'ThrottlingException'],
  ['agent_budget_exceeded', 400, 'ServiceQuotaExceededException'],
  ['global_budget_exceeded', 400, 'ServiceQuotaExceededException'],
  ['budget_exceeded', 400, 'ServiceQuotaExceededException'],
  ['not_governed', 501, 'ValidationException'],
  ['paused', 503, 'ServiceUnavailableException'],
  ['internal', 500, 'InternalServerException'],
])("%s is %i %s to AWS' SDKs, which send no used-up cap again", (code, status, name) => {
  const told = dialects.bedrock.describeRefusal?.(new ApiError(code, 'm'));
  expect(told).toEqual({ status, headers: { 'x-amzn-errortype': name } });
});
