import { type BadRequest, type RawRequest, write } from './send-raw.ts';

const refused = (name: string, request: RawRequest, status: number | null, error = /./): BadRequest => ({
  name,
  request,
  status,
  error,
});
const target = (name: string, path: string, error = /request target must not contain/) =>
  refused(name, [write(`GET ${path}`)], 400, error);
const named = (name: string, headers: string[], error: RegExp, status = 400) =>
  refused(name, [write('GET /openai/v1/models', headers)], status, error);
const unreadable = (name: string, text: string, error = /malformed HTTP request: ./) =>
  refused(name, [text], 400, error);

const post = 'POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n';

/** Requests whose head is malformed: none of them may be forwarded, and none makes an event. */
export const badHeads: BadRequest[] = [
  target('a target in absolute form', 'http://elsewhere.test/openai/v1/models', /request target must begin with/),
  target('an asterisk', '*', /request target must begin with/),
  target('two slashes before the provider', '//openai/v1/models'),
  target('two slashes in the path', '/openai/v1//models'),
  target('two slashes, encoded', '/openai/v1%2f%2Fmodels'),
  target('a backslash', '/openai/v1\\models'),
  target('a backslash, encoded', '/openai/v1%5Cmodels'),
  target('dot segments', '/openai/v1/../../admin'),
  target('a dot segment at the end', '/openai/v1/.'),
  target('dot segments, encoded', '/openai/%2e%2E/admin', /must not escape letters/),
  target('dot segments, encoded twice', '/openai/%252e%252e/admin', /must not be percent-encoded twice/),
  target('a slash of a dot segment, encoded', '/openai/v1/..%2fadmin'),
  target('a dot segment in the name of an agent', '/agents/%2e%2e/openai/v1/models', /must not escape letters/),
  target('a fragment', '/openai/v1/models#x'),
  target('a fragment behind the query', '/openai/v1/models?a=b#x'),
  target('a fragment, encoded', '/openai/v1/%23x'),
  target('NUL, encoded', '/openai/v1/%00', /must not contain control characters/),
  target('a broken escape', '/openai/v1/%zz', /not valid percent-encoded/),
  target('an escape that is no UTF-8', '/openai/v1/%ff', /not valid percent-encoded/),
  target('half of a surrogate pair, encoded', '/openai/v1/%ed%a0%80', /not valid percent-encoded/),
  target('bytes that are not ASCII', '/openai/v1/\xc3\xa9', /printable ASCII|malformed HTTP request/),
  target('an agent without a name', '/agents//openai/v1/models'),
  target('a name in the path that is no UTF-8', '/agents/%ff/openai/v1/models', /not valid percent-encoded/),
  target(
    'a name in the path with a line feed',
    '/agents/a%0ab/openai/v1/models',
    /must not contain control characters/,
  ),
  target('a name in the path that is too long', `/agents/${'a'.repeat(129)}/openai/v1/models`, /must be 1 to 128/),
  target('a reserved name in the path', '/agents/unnamed-x/openai/v1/models', /reserved/),
  refused('no provider', [write('GET /')], 404, /^unknown provider; a base URL is /),
  refused('an unknown provider', [write('GET /made-up/v1/models')], 404, /^unknown provider; a base URL is /),
  refused(
    'a provider named like a member of objects',
    [write('GET /__proto__/v1')],
    404,
    /^unknown provider; a base URL is /,
  ),
  refused('the reserved word alone', [write('GET /agents')], 404, /^unknown provider; a base URL is /),
  refused('a target that is too long', [write(`GET /openai/${'a'.repeat(20_000)}`)], 400, /longer than 16384/),
  refused('a target that is too long to be read', [write(`GET /openai/${'a'.repeat(70_000)}`)], 431, /head too large/),

  named('an empty agent name', ['X-Agent-Name:'], /x-agent-name must be 1 to 128/),
  named('an agent name that is too long', [`X-Agent-Name: ${'a'.repeat(129)}`], /x-agent-name must be 1 to 128/),
  named('an agent name with a tab', ['X-Agent-Name: a\tb'], /x-agent-name must be/),
  named('an agent name that turns the text around', ['X-Agent-Name: a\xe2\x80\xaeb'], /x-agent-name must be/),
  named('an agent name that is no UTF-8', ['X-Agent-Name: a\xff'], /x-agent-name is not valid UTF-8/),
  named('half of a surrogate pair as agent name', ['X-Agent-Name: \xed\xa0\x80'], /x-agent-name is not valid UTF-8/),
  named('a reserved agent name', ['X-Agent-Name: Unnamed-127.0.0.1'], /reserved/),
  named('two agent names', ['X-Agent-Name: a', 'x-agent-name: b'], /x-agent-name is given more than once/),
  refused(
    'two agent names, one in the path',
    [write('GET /agents/a/openai/v1/models', ['X-Agent-Name: b'])],
    400,
    /x-agent-name names another agent/,
  ),
  named('an empty session', ['X-Session-Id:'], /x-session-id must be 1 to 256/),
  named('a session that is too long', [`X-Session-Id: ${'a'.repeat(257)}`], /x-session-id must be 1 to 256/),
  named('two sessions', ['X-Session-Id: a', 'X-Session-Id: a'], /x-session-id is given more than once/),
  named('a session that is no UTF-8', ['X-Session-Id: \xfe'], /x-session-id is not valid UTF-8/),
  named(
    'the session of another agent',
    ['X-Agent-Name: thief', 'X-Session-Id: ses_taken'],
    /^session belongs to another agent$/,
    409,
  ),
  named('a compliance tag with capitals', ['X-Compliance-Tag: Bad'], /x-compliance-tag must be/),
  named('a compliance tag with a space', ['X-Compliance-Tag: a b'], /x-compliance-tag must be/),
  named('a compliance tag that is too long', [`X-Compliance-Tag: ${'a'.repeat(65)}`], /x-compliance-tag must be/),
  named('two hosts', ['Host: y'], /host is given more than once/),
  refused(
    'a host that is no name of this machine',
    ['GET /openai/v1/models HTTP/1.1\r\nHost: evil.test\r\n\r\n'],
    421,
    /^host not allowed/,
  ),
  named('a page of another site', ['Origin: https://evil.test'], /^cross-site request/, 403),
  named('a page of another site that a browser tells', ['Sec-Fetch-Site: cross-site'], /^cross-site request/, 403),
  refused('no host', ['GET /openai/v1/models HTTP/1.1\r\n\r\n'], 400, /host header is missing/),
  named('a resumable upload', ['X-Goog-Upload-Protocol: resumable'], /resumable uploads/, 501),
  refused(
    'a resumable upload in the query',
    [write('POST /openai/upload/v1/files?uploadType=resumable')],
    501,
    /resumable uploads/,
  ),
  named('an unknown expectation', ['Expect: 200-ok'], /expectation not supported/, 417),
  named('headers that are too large', [`X-Large: ${'a'.repeat(70_000)}`], /head too large/, 431),

  unreadable(
    'Content-Length and Transfer-Encoding',
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  ),
  unreadable('two lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`),
  unreadable('a length that is no number', `${post}Content-Length: five\r\n\r\nabcde`),
  unreadable('a negative length', `${post}Content-Length: -1\r\n\r\n`),
  unreadable(
    'a transfer encoding that does not end in chunked',
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  ),
  unreadable(
    'a transfer encoding that only looks like chunked',
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    /transfer-encoding must be chunked/,
  ),
  unreadable('a chunk size that is no number', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`),
  unreadable('a space in the name of a header', 'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\nX Bad: 1\r\n\r\n'),
  unreadable('a space before the colon', `${post}Content-Length : 5\r\n\r\nabcde`),
  unreadable('NUL in a header', 'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\nX-Bad: a\0b\r\n\r\n'),
  unreadable('a header without a colon', 'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\nX-Bad\r\n\r\n'),
  unreadable('a header without a name', 'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'),
  unreadable(
    'a carriage return alone in a header',
    'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\nX-Bad: a\rX-Agent-Name: b\r\n\r\n',
  ),
  unreadable('an unknown method', 'STEAL /openai/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  unreadable('an unknown version', 'GET /openai/v1 HTTP/3.7\r\nHost: localhost\r\n\r\n'),
  refused('no version', ['GET /openai/v1\r\nHost: localhost\r\n\r\n'], 505, /^HTTP version not supported$/),
  refused(
    'a version that is not spoken',
    ['GET /openai/v1 HTTP/2.0\r\nHost: localhost\r\n\r\n'],
    505,
    /^HTTP version not supported$/,
  ),
  unreadable('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  unreadable('TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  unreadable('a line of nothing', 'aaaa\0\xff\xfe\r\n\r\n'),
  unreadable('a method in small letters', 'post /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  unreadable('TRACK', 'TRACK /openai/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  unreadable('a folded header', 'GET /openai/v1 HTTP/1.1\r\nHost: localhost\r\nX-Bad: a\r\n b\r\n\r\n'),
  named('very many headers', Array(300).fill('X-A: b'), /more than 256 header fields/, 431),
  ...['TRACE', 'PURGE', 'M-SEARCH', 'PROPFIND'].map((method) =>
    refused(method, [write(`${method} /openai/v1/models`)], 405, /^method not allowed$/),
  ),
];
