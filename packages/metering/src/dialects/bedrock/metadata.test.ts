import { describe, expect, test } from 'vitest';
import { inBody, inHeader } from './metadata.ts';
import { bedrock } from './operations.ts';

const own = [
  ['event', 'evt_1'],
  ['agent', 'agt_1'],
  ['name', 'Bücher'],
] as const;
const told = '"event":"evt_1","agent":"agt_1"';

const writeBody = (body: string) => inBody.write({ headers: {}, body: Buffer.from(body) }, own).body.toString();

function writeHeader(given: string | string[] | undefined) {
  const headers = { accept: '*/*', ...(given !== undefined && { 'x-amzn-bedrock-request-metadata': given }) };
  const sent = inHeader.write({ headers, body: Buffer.from('{"requestMetadata":1}') }, own);
  expect(sent.body.toString()).toBe('{"requestMetadata":1}');
  expect(sent.headers.accept).toBe('*/*');
  const [name = ''] = Object.keys(sent.headers).filter((each) => each !== 'accept');
  return [name, sent.headers[name]];
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join();

describe('in a body', () => {
  test.each([
    ['{}', `{"requestMetadata":{${told}}}`],
    [' { "n" : 1.0e2 } \n', ` {"requestMetadata":{${told}}, "n" : 1.0e2 } \n`],
    ['{"a":"ü","requestMetadata":null}', `{"a":"ü","requestMetadata":{${told}}}`],
    ['{"requestMetadata":{ },"a":[]}', `{"requestMetadata":{${told}},"a":[]}`],
    ['{"request\\u004detadata":{"team" : "A\\u0042"}}', `{"request\\u004detadata":{${told},"team":"A\\u0042"}}`],
    [
      '{"requestMetadata":{"agent":"agt_2","ag\\u0065nt2":"x","name":"me"}}',
      `{"requestMetadata":{${told},"agent2":"x"}}`,
    ],
    ['{"requestMetadata":{"event":"evt_2"},"x":1}', `{"requestMetadata":{${told}},"x":1}`],
  ])('%s', (given, sent) => {
    expect(writeBody(given)).toBe(sent);
  });

  test('entries of the caller that are named as ours, however spelt, do not go on', () => {
    const given = '{"requestMetadata":{"EVENT":"x","agent ":"x","na_me":"x","agents":"x"}}';
    expect(writeBody(given)).toBe(`{"requestMetadata":{${told},"agents":"x"}}`);
  });

  test('more than fit beside ours are refused', () => {
    expect(writeBody(`{"requestMetadata":{"event":"x",${many(14)}}}`)).toBe(
      `{"requestMetadata":{${told},${many(14)}}}`,
    );
    expect(() => writeBody(`{"requestMetadata":{${many(15)}}}`)).toThrow(
      'requestMetadata may have 14 entries, since AWS takes 16 with those of this proxy',
    );
  });

  test.each([
    ['{"requestMetadata":{},"requestMetadata":{}}', 'requestMetadata is given twice'],
    ['{"requestMetadata":{},"request\\u004detadata":{}}', 'requestMetadata is given twice'],
    ['{"RequestMetadata":{}}', 'requestMetadata is spelt in another way'],
    ['{"request_metadata":{}}', 'requestMetadata is spelt in another way'],
    ['{"requestMetadata":{"a":"1","\\u0061":"2"}}', 'requestMetadata has an entry twice'],
    ['{"requestMetadata":["agent"]}', 'requestMetadata is no JSON object'],
    ['{"requestMetadata":"agent"}', 'requestMetadata is no JSON object'],
    ['[]', 'the body is no JSON object, or is encoded'],
    ['\ufeff{}', 'the body is no JSON object, or is encoded'],
    ['{} {"requestMetadata":{}}', 'the body is no JSON object, or is encoded'],
  ])('%s is refused', (given, fault) => {
    expect(() => writeBody(given)).toThrow(`${fault}, and this proxy writes into it who calls`);
  });
});

describe('in a header', () => {
  test.each([
    [undefined, 'X-Amzn-Bedrock-Request-Metadata', `{${told}}`],
    ['{"team": "a"}', 'x-amzn-bedrock-request-metadata', `{${told},"team":"a"}`],
    ['{"event":"evt_2","caf\xc3\xa9":"\xff"}', 'x-amzn-bedrock-request-metadata', `{${told},"caf\xc3\xa9":"\xff"}`],
  ])('%s', (given, name, value) => {
    expect(writeHeader(given)).toEqual([name, value]);
  });

  test.each([
    [['{}', '{}'], 'is given twice'],
    ['agent=agt_1', 'is no JSON object'],
    ['', 'is no JSON object'],
  ])('%s is refused', (given, fault) => {
    expect(() => writeHeader(given)).toThrow(`X-Amzn-Bedrock-Request-Metadata ${fault}`);
  });
});

test('it is written where AWS reads it', () => {
  const written = ['converse', 'converse-stream', 'invoke', 'invoke-with-response-stream', 'count-tokens'].map(
    (verb) => bedrock.match(`/model/anthropic.claude-sonnet-5/${verb}`, 'POST')?.metadata,
  );
  expect(written).toEqual([inBody, inBody, inHeader, inHeader, undefined]);
});
