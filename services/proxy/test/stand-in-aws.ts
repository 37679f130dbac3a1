import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedRequest } from '@agp/testing/providers';
import { buildQueryString } from '@smithy/core/protocols';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { onTestFinished, vi } from 'vitest';

export const minute = 60_000;

export const roleArn = 'arn:aws:iam::123456789012:role/agents';

export const user = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'fake-canary-secret' };

export function writeTemporary(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-role-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  writeFileSync(file, text);
  return file;
}

interface Answer {
  status: number;
  body: string;
}

/** A server of AWS on this machine. */
export async function serve(answer: (request: IncomingMessage, body: string) => Answer | Promise<Answer>) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { status, body: sent } = await answer(request, body);
    response.writeHead(status, { 'content-type': sent.startsWith('<') ? 'text/xml' : 'application/json' }).end(sent);
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How long credentials last, and whether they are given: tests change it. */
export class Aws {
  lastsMs = 60 * minute;
  denied: string | null = null;
  given = 0;
  /** Waited for before each answer. */
  gate = Promise.resolve();

  /** STS, which checks the role and the token of the service account. */
  async serveSts(token: string): Promise<NodeJS.ProcessEnv> {
    const url = await serve(async (request, body) => {
      await this.gate;
      const asked = Object.fromEntries(new URLSearchParams(body));
      const right = {
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: roleArn,
        WebIdentityToken: token,
      };
      const isRight =
        request.method === 'POST' && Object.entries(right).every(([name, value]) => asked[name] === value);
      const fault = this.denied ?? (isRight ? null : 'InvalidIdentityToken');
      if (fault !== null) {
        const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${fault}</Code><Message>Not authorized with ${token}</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
        return { status: fault === 'AccessDenied' ? 403 : 400, body };
      }
      const { Token, ...keys } = this.#give();
      const members = Object.entries({ ...keys, SessionToken: Token }).map(
        ([name, value]) => `<${name}>${value}</${name}>`,
      );
      const body200 = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>${members.join('')}</Credentials><AssumedRoleUser><AssumedRoleId>A:s</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/agents/s</Arn></AssumedRoleUser></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
      return { status: 200, body: body200 };
    });
    vi.stubEnv('AWS_ENDPOINT_URL_STS', url);
    return { AWS_WEB_IDENTITY_TOKEN_FILE: writeTemporary(token), AWS_ROLE_ARN: roleArn };
  }

  /** The agent of EKS Pod Identity, which checks the authorization token. */
  async serveContainer(token: string): Promise<NodeJS.ProcessEnv> {
    const url = await serve(({ headers, url }) => {
      const isRight = headers.authorization === token && url === '/v1/credentials';
      if (!isRight) return { status: 403, body: JSON.stringify({ Code: 'AccessDeniedException', Message: token }) };
      return { status: 200, body: JSON.stringify(this.#give()) };
    });
    const file = writeTemporary(token);
    return {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
    };
  }

  #give() {
    this.given += 1;
    const end = new Date(Date.now() + this.lastsMs);
    const keys = {
      AccessKeyId: `ASIA${this.given}`,
      SecretAccessKey: user.secretAccessKey,
      Token: `session/${this.given}==`,
    };
    return { ...keys, Expiration: end.toISOString().replace(/\.\d+/, '') };
  }
}

/** What Bedrock says of a key: it signs the same call anew. @param clock AWS' own, in milliseconds since 1970 */
export async function judgeKey(key: string, region: string, clock = Date.now()) {
  const [address = '', text] = Buffer.from(key.replace(/^bedrock-api-key-/, ''), 'base64')
    .toString()
    .split('?');
  const { Version, ...query } = Object.fromEntries(new URLSearchParams(text));
  const signingDate = new Date(
    String(query['X-Amz-Date']).replace(/(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)/, '$1-$2-$3:$4:$5'),
  );
  const endsAt = signingDate.getTime() + Number(query['X-Amz-Expires']) * 1_000;
  if (endsAt <= clock) return '403 Signature expired';
  if (signingDate.getTime() - clock > 5 * minute) return '403 Signature not yet current';
  const [accessKeyId = ''] = String(query['X-Amz-Credential']).split('/');
  const sessionToken = query['X-Amz-Security-Token'];
  const credentials = { ...user, accessKeyId, ...(sessionToken ? { sessionToken } : {}) };
  const signer = new SignatureV4({ service: 'bedrock', region, credentials, sha256: Hash.bind(null, 'sha256') });
  const host = 'bedrock.amazonaws.com';
  const again = await signer.presign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: host,
      path: '/',
      headers: { host },
      query: { Action: String(query.Action) },
    },
    { signingDate, expiresIn: Number(query['X-Amz-Expires']) },
  );
  if (address !== `${host}/` || query.Action !== 'CallWithBearerToken' || Version !== '1') return '400';
  if (buildQueryString(again.query ?? {}) !== buildQueryString(query))
    return '403 The request signature does not match';
  return { accessKeyId, endsAt };
}

const strictEscape = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/**
 * What AWS says of a signed call: it signs anew what came, as its documentation of Signature Version 4 describes.
 * @param clock AWS' own, in milliseconds since 1970
 */
export function judgeSignature(
  { method, target, headers, body }: ReceivedRequest,
  region: string,
  service: string,
  clock = Date.now(),
): { accessKeyId: string } | string {
  const [, id, day, ...scope] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, /.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [, names = '', signature] =
    / SignedHeaders=([\w;-]+), Signature=([\da-f]{64})$/.exec(headers.authorization ?? '') ?? [];
  if (id === undefined || day === undefined || scope.join() !== [region, service].join()) return '403 no such scope';
  const date = String(headers['x-amz-date']);
  const signedAt = Date.parse(date.replace(/(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)/, '$1-$2-$3:$4:$5'));
  if (!date.startsWith(day) || !(Math.abs(signedAt - clock) <= 5 * minute)) return '403 Signature expired';
  const listed = names.split(';');
  const must = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (must.some((name) => !listed.includes(name))) return '403 a header that must be signed is not';
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(strictEscape).join('='));
  const canonical = [
    method,
    path.split('/').map(strictEscape).join('/'),
    pairs.sort().join('&'),
    ...listed.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  if (headers['x-amz-content-sha256'] !== sha256(body)) return '403 the body is another';
  const key = [day, ...scope, 'aws4_request'].reduce<string | Buffer>(
    (made, part) => createHmac('sha256', made).update(part).digest(),
    `AWS4${user.secretAccessKey}`,
  );
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${scope.join('/')}/aws4_request`, sha256(canonical)].join('\n');
  const again = createHmac('sha256', key).update(toSign).digest('hex');
  return again === signature ? { accessKeyId: id } : '403 The request signature does not match';
}
