import type { IncomingMessage } from 'node:http';
import { agentTokenPrefix, isPrintableText, isReservedAgentName, maxAgentNameLength } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { complianceTagPattern } from '@agp/core/events';
import { listHeaders } from '@agp/metering';
import type { Head } from '../journey.ts';
import { maxComplianceTag, maxSessionName } from '../limits.ts';
import {
  agentTokenLength,
  type IsOurs,
  readJwtValue,
  readOwnSecret,
  refuseSecret,
  refuseToken,
  resemblesAgentToken,
  spellsAgentToken,
} from './agent-token.ts';
import type { QueryParameters } from './query-parameters.ts';

const ownHeader = 'x-agent-token';

function refuse(message: string): never {
  throw new ApiError('malformed_request', message);
}

/** Node decodes header bytes as Latin-1; the headers that we read are UTF-8. */
function toText(name: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) refuse(`${name} is not valid UTF-8`);
  return text;
}

function readGovernanceHeader({ headersDistinct }: IncomingMessage, name: string, max: number): string | null {
  const values = headersDistinct[name];
  if (values === undefined) return null;
  if (values.length > 1) refuse(`${name} is given more than once`);
  const text = toText(name, values[0] ?? '');
  if (!isPrintableText(text, max)) refuse(`${name} must be 1 to ${max} printable characters`);
  return text;
}

function readAgentName(request: IncomingMessage, inPath: string | null): string | null {
  const inHeader = readGovernanceHeader(request, 'x-agent-name', maxAgentNameLength);
  if (inPath !== null && !isPrintableText(inPath, maxAgentNameLength))
    refuse(`the agent name in the path must be 1 to ${maxAgentNameLength} printable characters`);
  if (inPath !== null && inHeader !== null && inPath !== inHeader)
    refuse('x-agent-name names another agent than the path');
  const name = inPath ?? inHeader;
  if (name !== null && isReservedAgentName(name)) refuse('agent names that begin with unnamed- are reserved');
  // Names are shown and recorded.
  if (name !== null && resemblesAgentToken(name)) refuse('an agent name must not hold an agent token');
  return name;
}

function readSessionName(request: IncomingMessage): string | null {
  const named = readGovernanceHeader(request, 'x-session-id', maxSessionName);
  if (named !== null && spellsAgentToken(named)) refuse('x-session-id must not hold an agent token');
  if (named !== null) return named;
  for (const name of listHeaders('session')) {
    const value = request.headersDistinct[name]?.[0];
    // They are not meant for us: one that we cannot use is ignored.
    if (value && value.length <= maxSessionName && /^[\x20-\x7e]+$/.test(value) && !spellsAgentToken(value))
      return value;
  }
  return null;
}

function readComplianceTag(request: IncomingMessage): string | null {
  const tag = readGovernanceHeader(request, 'x-compliance-tag', maxComplianceTag);
  if (tag !== null && !complianceTagPattern.test(tag))
    refuse('x-compliance-tag must be 1 to 64 of a-z, 0-9 and . _ : -, beginning with a letter or digit');
  return tag;
}

/** What a caller proves itself by: at most one of the two. Both are secrets. */
interface Proofs {
  token: string | null;
  jwt: string | null;
  /** It holds a JWT of some kind: other issuers may make another of it. */
  hasJwt: boolean;
}

/** @throws ApiError `malformed_request` for two different ones; `unauthorized_agent` if `X-Agent-Token` holds something else */
function readProofs({ headersDistinct }: IncomingMessage, parameters: QueryParameters, isOurs: IsOurs): Proofs {
  const listIn = (name: string) => (headersDistinct[name] ?? []).map((value) => ({ place: name, value: value.trim() }));
  const inQuery = parameters.filter(({ name }) => name === 'key').map(({ value }) => ({ place: 'key', value }));
  let proof: string | null = null;
  let hasJwt = false;
  for (const { place, value } of [...listIn(ownHeader), ...listHeaders('key').flatMap(listIn), ...inQuery]) {
    const isOwn = place === ownHeader;
    const jwt = readJwtValue(value);
    hasJwt ||= jwt !== null;
    const found = readOwnSecret(value);
    if (found !== null && found.prefix !== agentTokenPrefix) throw refuseSecret(place, found.prefix);
    if (found !== null && found.secret.length !== agentTokenLength) throw refuseToken('notWhole');
    // In a key's place a JWT may be a provider's credential.
    const shown = jwt !== null && (isOwn || isOurs(jwt)) ? jwt : (found?.secret ?? null);
    if (isOwn && shown !== value) throw refuseToken('noToken');
    if (shown !== null && proof !== null && shown !== proof) refuse('two different agent tokens are given');
    proof ??= shown;
  }
  const isToken = proof?.startsWith(agentTokenPrefix) ?? false;
  return { token: isToken ? proof : null, jwt: isToken ? null : proof, hasJwt };
}

/**
 * What a caller says of itself. A token is a secret: only its digest leaves `readHead`.
 * @param isOurs whether a JWT is one of our issuers'
 * @throws ApiError `malformed_request`, `unauthorized_agent`
 */
export function readCaller(
  request: IncomingMessage,
  nameInPath: string | null,
  parameters: QueryParameters,
  isOurs: IsOurs = () => false,
): Pick<Head, 'agentName' | 'sessionName' | 'complianceTag'> & Proofs {
  return {
    agentName: readAgentName(request, nameInPath),
    sessionName: readSessionName(request),
    complianceTag: readComplianceTag(request),
    ...readProofs(request, parameters, isOurs),
  };
}
