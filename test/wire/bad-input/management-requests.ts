import { gzipSync } from 'node:zlib';
import { type BadRequest, write } from './send-raw.ts';

/** A malformed request of the management API; `{agent}` in the line stands for the id of an agent that exists. */
interface BadCall {
  name: string;
  line: string;
  headers?: string[];
  body?: string | Uint8Array;
  /** 401 and below are about the key, which every other call has. */
  withoutKey?: true;
  status: number;
  error?: RegExp;
}

const query = (text: string, error: RegExp): BadCall => ({
  name: `events?${text.slice(0, 60)}`,
  line: `GET /api/v1/events?${text}`,
  status: 400,
  error,
});
const unknown = (path: string, error: RegExp): BadCall => ({
  name: `${path.slice(0, 60)}`,
  line: `GET /api/v1/${path}`,
  status: 404,
  error,
});
const answered = (path: string): BadCall => ({ name: path.slice(0, 60), line: `GET /api/v1/${path}`, status: 200 });
const withMethod = (line: string): BadCall => ({ name: line, line, status: 405, error: /^method not allowed$/ });
const key = (name: string, headers: string[]): BadCall => ({
  name,
  line: 'GET /api/v1/agents',
  headers,
  withoutKey: true,
  status: 401,
  error: /^missing or invalid API key$/,
});

const json = 'Content-Type: application/json';
const update = (name: string, body: string | Uint8Array, error: RegExp, status = 400, headers = [json]): BadCall => ({
  name: `an update of an agent with ${name}`,
  line: 'PUT /api/v1/agents/{agent}',
  headers,
  body,
  status,
  error,
});
const newKey = (body: string, error: RegExp): BadCall => ({
  name: `a key ${body.slice(0, 70)}`,
  line: 'POST /api/v1/keys',
  headers: [json],
  body,
  status: 400,
  error,
});

const newToken = (body: string, error: RegExp): BadCall => ({
  name: `an agent token ${body.slice(0, 70)}`,
  line: 'POST /api/v1/agent-tokens',
  headers: [json],
  body,
  status: 400,
  error,
});

const levels = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;
const large = Buffer.alloc(33 * 1024 * 1024, ' ');

export const badCalls: BadCall[] = [
  key('no key', []),
  key('an empty key', ['Authorization: Bearer ']),
  key('another scheme', ['Authorization: Basic YTpi']),
  key('a key that is no text', ['Authorization: Bearer \xff\xfe']),
  key('a key of 10 KB', [`Authorization: Bearer ${'a'.repeat(10_000)}`]),
  key('a key in the query alone', ['X-Api-Key: agm_x']),

  ...['0', '-1', '1001', 'abc', '1e3', '1.5', '', '%00', '+5', '0x10', '9999999999999999999', '1&limit=2', 'NaN'].map(
    (limit) => query(`limit=${limit}`, /^limit: ./),
  ),
  ...['-1', 'x', '99999999999999999999', '1e2', '%F0%9F'].map((offset) => query(`offset=${offset}`, /^offset: ./)),
  ...['x', 'evt_', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'agt_01k9r3v8w5f2q8m6t4n0x7y1zb', '%00', 'e'.repeat(5_000)].map(
    (cursor) => query(`cursor=${cursor}`, /^cursor: ./),
  ),
  ...['tomorrow', '0000', '2026-02-30T00:00:00Z', '2026-13-01', '%00', '1e400'].map((time) =>
    query(`from=${time}`, /^from: ./),
  ),
  query('to=x', /^to: ./),
  query('recorded_after=soon', /^recorded_after: ./),
  query('pii_detected=maybe', /^pii_detected: ./),
  query('model=a%00b', /^model: ./),
  query(`provider=${'p'.repeat(300)}`, /^provider: ./),
  query('compliance_tag=a&compliance_tag=b', /^compliance_tag: ./),
  answered('events?offset=999999999999999'),
  answered('events?agent_id=%00&session_id=%00'),
  answered('events?agent_id=__proto__'),
  answered('events?session_id=ses_%ED%A0%80'),
  answered('events?model=%ED%A0%80%ff%zz'),
  query(
    '__proto__[limit]=1&constructor[x]=1&a[b][c]=1',
    /^__proto__\[limit\], constructor\[x\], a\[b\]\[c\]: unknown parameters; /,
  ),
  answered('events?from=0000-01-01&to=9999-12-31'),
  answered('events?recorded_after=0000-01-01'),
  answered('agents?limit=1000&offset=99999'),
  answered('events/sessions/%00'),
  answered('events/sessions/ses_%F0%9F'),
  answered('events/sessions/..%2f..%2fagents'),

  unknown('agents/agt_%00', /^agent not found$/),
  unknown('agents/%ff', /^agent not found$/),
  unknown('agents/__proto__', /^agent not found$/),
  unknown(`agents/agt_${'a'.repeat(10_000)}`, /^agent not found$/),
  unknown('agents/agt_8zzzzzzzzzzzzzzzzzzzzzzzzz', /^agent not found$/),
  unknown('agents/x/events', /^agent not found$/),
  unknown('events/evt_%zz', /^event not found$/),
  unknown("events/evt_'%20OR%201=1--", /^event not found$/),
  unknown('sessions/%00', /^session not found$/),
  unknown('sessions/ses_%ed%a0%80', /^session not found$/),
  unknown('lineage/genesis', /^session not found$/),
  unknown('agents/../keys', /^not found$/),
  unknown('agents//x', /^not found$/),
  unknown('AGENTS', /^not found$/),
  unknown('made-up', /^not found$/),
  { name: 'a revoked key that never was', line: 'DELETE /api/v1/keys/key_x', status: 404, error: /^key not found$/ },
  {
    name: 'rotating a key that never was',
    line: 'POST /api/v1/keys/%00/rotate',
    status: 404,
    error: /^key not found$/,
  },
  {
    name: 'revoking a token that never was',
    line: 'DELETE /api/v1/agent-tokens/tok_%ff',
    status: 404,
    error: /^agent token not found$/,
  },
  {
    name: 'releasing a name that nobody has',
    line: 'DELETE /api/v1/claimed-names/..%2f%00',
    status: 404,
    error: /^claimed name not found$/,
  },
  {
    name: 'retiring nobody',
    line: 'POST /api/v1/agents/agt_x/retire',
    headers: [json],
    body: '{',
    status: 404,
    error: /^agent not found$/,
  },

  withMethod('POST /api/v1/agents'),
  withMethod('DELETE /api/v1/agents/{agent}'),
  withMethod('PATCH /api/v1/agents/{agent}'),
  withMethod('PUT /api/v1/events'),
  withMethod('GET /api/v1/agents/{agent}/retire'),
  withMethod('TRACE /api/v1/costs/summary'),
  withMethod('GET /api/v1/keys/key_x/rotate'),
  withMethod('PUT /api/v1/agent-tokens'),
  withMethod('POST /api/v1/claimed-names'),

  update('no body', '', /^body: ./),
  update('no JSON', '{', /^body: not valid JSON$/),
  update('nothing in it', '{}', /./),
  update('an array', '[]', /./),
  update('null', 'null', /./),
  update('an unknown field', '{"name":"x"}', /^name: unknown field$/),
  update('a field of objects', '{"constructor":1}', /^constructor: unknown field$/),
  update('a field named __proto__', '{"__proto__":{"status":"blocked"}}', /./),
  update('an unknown status', '{"status":"paused"}', /^status: ./),
  update('a status that is no text', '{"status":["active"]}', /^status: ./),
  ...['null', '[]', '"x"', '1'].map((metadata) =>
    update(`metadata ${metadata}`, `{"metadata":${metadata}}`, /^metadata: ./),
  ),
  update('NUL in metadata', '{"metadata":{"a":"\\u0000"}}', /^metadata/),
  update('NUL in a key of metadata', '{"metadata":{"\\u0000":1}}', /^metadata/),
  update('half of a surrogate pair in metadata', '{"metadata":{"a":["\\ud800"]}}', /^metadata/),
  update('half of a surrogate pair in a key of metadata', '{"metadata":{"\\udfff":1}}', /^metadata/),
  update('a number beyond all bounds in metadata', '{"metadata":{"a":1e400}}', /^metadata/),
  update('too many levels of metadata', `{"metadata":${levels(33)}}`, /^metadata/),
  update('10,000 levels of metadata', `{"metadata":${levels(10_000)}}`, /^body: nests too deep$/),
  update('too much metadata', `{"metadata":{"a":"${'x'.repeat(17_000)}"}}`, /^metadata/),
  update('text', '{"status":"active"}', /^content type must be/, 415, ['Content-Type: text/plain']),
  update('a form', 'status=active', /^content type must be/, 415, ['Content-Type: application/x-www-form-urlencoded']),
  update('no content type', '{"status":"active"}', /^content type must be/, 415, []),
  update('an unknown charset', '{"status":"active"}', /charset/, 415, [
    'Content-Type: application/json; charset=ebcdic',
  ]),
  update('an unknown encoding', '{"status":"active"}', /encoding/, 415, [json, 'Content-Encoding: made-up']),
  update('bytes that are not compressed', '{"status":"active"}', /^body: ./, 400, [json, 'Content-Encoding: gzip']),
  update('33 MiB', large, /^request body too large$/, 413),
  update('33 MiB, compressed', gzipSync(large), /^request body too large$/, 413, [json, 'Content-Encoding: gzip']),
  update('bytes that are no UTF-8', Buffer.from('{"metadata":{"a":"\xff"}}', 'latin1'), /^(body|metadata)/),

  newKey('{"name":"a\\u0000","scopes":["read"]}', /^name: ./),
  newKey('{"name":"\\ud800","scopes":["read"]}', /^name: ./),
  newKey('{"name":"","scopes":["read"]}', /^name: ./),
  newKey('{"name":"a","scopes":[]}', /^scopes: ./),
  newKey('{"name":"a","scopes":["root"]}', /^scopes/),
  newKey('{"name":"a","scopes":"read"}', /^scopes: ./),
  newKey('{"name":"a","scopes":["read"],"expires_at":"tomorrow"}', /^expires_at: ./),
  newKey('{"name":"a","scopes":["read"],"expires_at":"2001-01-01T00:00:00Z"}', /^expires_at: ./),
  newToken('{"agent_name":"a\\u0000"}', /^agent_name: ./),
  newToken('{"agent_name":"\\ud800"}', /^agent_name: ./),
  newToken('{"agent_name":" a"}', /^agent_name: ./),
  newToken('{"agent_name":["a"]}', /^agent_name: ./),
  newToken('{"agent_name":"unnamed-1.2.3.4"}', /^agent_name: ./),
  newToken('{"agent_name":"a","expires_at":"2001-01-01T00:00:00Z"}', /^expires_at: ./),
];

/** One call as bytes. */
export function toManagementRequest(call: BadCall, apiKey: string, agentId: string): BadRequest {
  const { name, line, headers = [], body = '', withoutKey, status, error } = call;
  const authorization = withoutKey ? [] : [`Authorization: Bearer ${apiKey}`];
  const request = [write(line.replace('{agent}', agentId), [...authorization, ...headers], body)];
  return { name, request, status, ...(error ? { error } : {}) };
}
