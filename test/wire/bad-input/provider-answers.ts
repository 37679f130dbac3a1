/** What a provider answers, byte for byte, and what agent and event make of it. */
export interface BadAnswer {
  name: string;
  answer: string;
  status: number;
  payload: Record<string, unknown>;
}

const sized = (body: string, ...headers: string[]) =>
  [
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
const usage = '"usage":{"prompt_tokens":7,"completion_tokens":3}';
const figures = { prompt_tokens: 7, completion_tokens: 3, usage_source: 'provider' };
const json = (name: string, body: string, payload: Record<string, unknown>): BadAnswer => ({
  name,
  answer: sized(body),
  status: 200,
  payload: { direction: 'response', outcome: 'completed', http_status: 200, ...payload },
});
const stream = (name: string, frames: string, payload: Record<string, unknown>): BadAnswer => ({
  ...json(name, '', payload),
  answer: `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${frames}`,
});
/** The provider had the request, so its input, one token, was billed. */
const input = { total_tokens: 1, usage_source: 'estimated' };
const noHttp = (name: string, answer: string): BadAnswer => ({
  name,
  answer,
  status: 502,
  payload: { direction: 'request', outcome: 'failed', http_status: null, ...input, model: 'asked' },
});
const headers = (name: string, answer: string, payload: Record<string, unknown>): BadAnswer => ({
  ...json(name, '', payload),
  answer,
});

const model = (text: string) => `{"model":"${text}",${usage}}`;
const usageOf = (text: string) => `{"model":"m","choices":[{"message":{"content":"one two"}}],"usage":${text}}`;
const estimated = { usage_source: 'estimated', completion_tokens: 2 };

/** Answers of providers that are odd, malformed or not HTTP at all; the request asks for the model `asked`. */
export const badAnswers: BadAnswer[] = [
  json('NUL in the model', model('gpt\\u0000-5'), { model: 'gpt\ufffd-5', ...figures }),
  json('half of a surrogate pair in the model', model('\\udfffx'), { model: '\ufffdx', ...figures }),
  json('a model of 10 KB', model('m'.repeat(10_000)), { model: 'm'.repeat(256), ...figures }),
  json('a surrogate pair where a long model is cut', model(`${'m'.repeat(255)}\u{1f600}x`), figures),
  json('a model that is no text', `{"model":{"a":1},${usage}}`, { model: 'asked', ...figures }),
  json('an empty model', model(''), { model: 'asked', ...figures }),
  json('a model named __proto__', model('__proto__'), { model: '__proto__', ...figures }),
  json('members named __proto__', `{"__proto__":{"model":"x"},"model":"m",${usage}}`, { model: 'm', ...figures }),
  json('negative figures', usageOf('{"prompt_tokens":-7,"completion_tokens":3}'), estimated),
  json('figures beyond all bounds', usageOf('{"prompt_tokens":1e400,"completion_tokens":3}'), estimated),
  json('figures that no call can have', usageOf('{"prompt_tokens":1e18,"completion_tokens":3}'), estimated),
  json('figures that are text', usageOf('{"prompt_tokens":"7","completion_tokens":"3"}'), figures),
  json('text in place of figures', usageOf('{"prompt_tokens":"many","completion_tokens":"3"}'), estimated),
  json('usage that is no object', usageOf('[7,3]'), estimated),
  json('zeros in place of figures', usageOf('{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}'), estimated),
  json('half of the figures', usageOf('{"prompt_tokens":7}'), { ...estimated, prompt_tokens: 7 }),
  json('an error for all its status', '{"error":{"message":"no"}}', { usage_source: 'none', total_tokens: 0 }),
  json(
    'parts that are larger than the whole',
    usageOf('{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":999}}'),
    figures,
  ),
  json('10,000 levels', `{"model":"m","a":${'['.repeat(10_000)}${']'.repeat(10_000)},${usage}}`, { http_status: 200 }),
  json('no JSON', '{"model":', { model: 'asked' }),
  json('nothing', '', { model: 'asked' }),
  json('NUL bytes', '\0'.repeat(1_000), { model: 'asked' }),
  stream('a stream with NUL in the model', `data: ${model('gpt\\u0000')}\n\ndata: [DONE]\n\n`, {
    model: 'gpt\ufffd',
    ...figures,
  }),
  stream('a stream of junk', 'data: {"model":\n\n\0\xff: x\ndata\n\n:::\r\r\ndata: [1e400]\n\n', { model: 'asked' }),
  stream('a stream of one endless line', `data: ${'x'.repeat(200_000)}`, { model: 'asked' }),
  headers('a request id of 10 KB', sized(model('m'), `X-Request-Id: ${'r'.repeat(10_000)}`), {
    provider_request_id: 'r'.repeat(256),
    ...figures,
  }),
  headers('a request id that is no ASCII', sized(model('m'), 'X-Request-Id: é'), figures),
  headers('a head of 60 KB', sized(model('m'), `X-Large: ${'a'.repeat(60_000)}`), figures),
  headers('two request ids', sized(model('m'), 'X-Request-Id: a', 'X-Request-Id: b'), figures),
  headers('an encoding that it is not', sized(model('m'), 'Content-Encoding: gzip'), { model: 'asked' }),
  headers(
    'early hints without end',
    `${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50)}${sized(model('m'))}`,
    figures,
  ),
  headers(
    'HTTP/1.0 without a length',
    `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${model('m')}`,
    figures,
  ),
  headers('a reason that is no ASCII', sized(model('m')).replace('OK', 'Ökay'), figures),

  noHttp('no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'),
  noHttp('NUL in a header', sized(model('m'), 'X-Bad: a\0b')),
  noHttp('a header without a colon', sized(model('m'), 'X-Bad')),
  noHttp('two lengths', sized(model('m'), 'Content-Length: 1')),
  noHttp('a length and chunks', sized(model('m'), 'Transfer-Encoding: chunked')),
  noHttp('a head that is too large', sized(model('m'), `X-Large: ${'a'.repeat(100_000)}`)),
  noHttp('a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  noHttp('half a head', 'HTTP/1.1 200 OK\r\nContent-Type: app'),
];
