import { hash, randomBytes, randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toLineText } from '@agp/core/text';
import type { ProxyContext } from '../context.ts';
import { dropRest, type Exchange, requestIdHeaders } from '../exchange.ts';
import { ShownJwt } from '../identity/identities.ts';
import { identifyWorkload, refuseOther } from '../identity/workload.ts';
import { exchangedTokens, maxTold } from '../limits.ts';
import { StorageDeadline } from '../storage/storage-deadline.ts';

/** RFC 8693, of which this is all that is served. */
export const tokenPath = '/oauth/token';
const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const tokenType = 'urn:ietf:params:oauth:token-type:';
const takenTypes = [`${tokenType}jwt`, `${tokenType}id_token`];

/** How long its form may take, in milliseconds. */
const formMs = 10_000;

/** As RFC 6749 names it. */
class OAuthError extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status = 400, headers = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** Answers a form that holds a workload's JWT with an agent token, which ends within an hour and no later than the JWT. */
export async function exchangeToken(context: ProxyContext, exchange: Exchange): Promise<void> {
  context.load.running += 1;
  try {
    context.callers.assure(exchange.request);
    const token = await exchangeJwt(context, exchange.sourceIp, await readSubject(exchange));
    answerJson(exchange, 200, token);
  } catch (error) {
    const { status, code, message, headers } = toOAuthError(error);
    if (code === 'server_error') context.logger.error({ error: (error as Error).stack }, 'a token was not exchanged');
    if (error instanceof ApiError) countRefusal(context, exchange, error);
    answerJson(exchange, status, { error: code, error_description: message }, headers);
  } finally {
    context.load.running -= 1;
  }
}

/** Of a path of the proxy itself. */
export function countRefusal(context: ProxyContext, { requestId, sourceIp, target }: Exchange, error: ApiError): void {
  context.metrics.refusals.inc({ code: error.code });
  const told = toLineText(error.message, maxTold);
  context.refusals.count(
    { ...{ agentId: null, reason: error.code, rule: null, decision: null }, told, requestId, sourceIp },
    () => ({ provider: null, path: target.split('?', 1)[0] ?? null }),
  );
}

function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (!(error instanceof ApiError)) return new OAuthError('server_error', 'internal error', 500);
  if (error.status >= 500) return new OAuthError('temporarily_unavailable', error.message, error.status);
  // Also if the token itself is refused (RFC 8693, section 2.2.2).
  return new OAuthError('invalid_request', error.message);
}

export function answerJson({ request, response, requestId }: Exchange, status: number, body: object, more = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' },
    ...requestIdHeaders(requestId),
    ...more,
  });
  response.end(text);
  dropRest(request);
}

async function readSubject({ request, method }: Exchange): Promise<string> {
  if (method !== 'POST') throw new OAuthError('invalid_request', 'the method must be POST', 405);
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new OAuthError('invalid_request', 'the content type must be application/x-www-form-urlencoded');
  const form = new URLSearchParams(await readForm(request));
  const read = (name: string) => {
    const [value = null, ...more] = form.getAll(name);
    if (more.length > 0) throw new OAuthError('invalid_request', `${name} is given more than once`);
    return value;
  };
  if (read('grant_type') !== grantType) throw new OAuthError('unsupported_grant_type', `must be ${grantType}`);
  if (!takenTypes.includes(read('subject_token_type') ?? ''))
    throw new OAuthError('invalid_request', `subject_token_type must be ${takenTypes.join(' or ')}`);
  if (read('actor_token') !== null) throw new OAuthError('invalid_request', 'actor_token is not taken');
  if (![null, `${tokenType}access_token`].includes(read('requested_token_type')))
    throw new OAuthError('invalid_request', `requested_token_type must be ${tokenType}access_token`);
  return read('subject_token') ?? '';
}

async function readForm(request: IncomingMessage): Promise<string> {
  const late = setTimeout(() => request.destroy(), formMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > exchangedTokens.form) throw new OAuthError('invalid_request', 'the form is too large', 413);
    }
  } catch (error) {
    throw error instanceof OAuthError ? error : new OAuthError('invalid_request', 'the form broke off', 408);
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString();
}

/** @throws ApiError as `identifyWorkload` does, and `agent_of_another` */
async function exchangeJwt(context: ProxyContext, sourceIp: string, subject: string): Promise<object> {
  const jwt = new ShownJwt(subject);
  const deadline = new StorageDeadline(performance.now() + context.config.storageTimeoutMs);
  for (;;) {
    await context.identities.refresh(deadline.at);
    const identityVersion = context.identities.version;
    const agent = await identifyWorkload(context, { agentName: null, sourceIp, identityVersion }, jwt, deadline);
    const proof = context.identities.findProof(jwt);
    if (agent?.claim == null || proof === undefined) continue;
    const admission = { agentId: agent.uuid, tokenId: null, claim: agent.claim, sessionId: null };
    const stored = await context.storage.readAdmission(admission, deadline.at);
    if (!stored?.tokenIsValid) throw await refuseOther(context, agent.claim, deadline.at);
    const seconds = Math.min(exchangedTokens.seconds, Math.floor((proof.expiresAt - Date.now()) / 1_000));
    if (seconds < 1) throw new OAuthError('invalid_request', 'the token has expired');
    const { allowed, retryAfterSeconds } = await context.exchanges.consume(agent.uuid);
    if (!allowed) {
      const message = `${exchangedTokens.perHour} tokens were exchanged for this agent within an hour`;
      throw new OAuthError('temporarily_unavailable', message, 429, { 'Retry-After': String(retryAfterSeconds) });
    }
    const secret = `${agentTokenPrefix}${randomBytes(32).toString('base64url')}`;
    const token = {
      ...{ id: randomUUIDv7(), agentName: agent.name, secretSha256: hash('sha256', secret, 'buffer') },
      ...{ claim: agent.claim, issuerVersion: proof.issuerVersion },
      expiresAt: new Date(Date.now() + seconds * 1_000),
    };
    // Not if the issuer, or whose the name is, has changed since.
    if (!(await context.storage.addExchangedToken(token, deadline.at))) continue;
    return {
      ...{ access_token: secret, issued_token_type: `${tokenType}access_token` },
      ...{ token_type: 'Bearer', expires_in: seconds },
    };
  }
}
