import { describe, expect, test } from 'vitest';
import { writeInBody, writeInHeader } from './metadata.ts';
import { bedrock } from './operations.ts';

const own = [
  ['event', 'evt_1'],
  ['agent', 'agt_1'],
  ['name', 'Bücher'],
] as const;
const told = '"event":"evt_1","agent":"agt_1"';

const inBody = (body: string) => writeInBody({ headers: {}, body: Buffer.from(body) }, own).body.toString();

function inHeader(given: string | string[] | undefined) {
  const headers = { accept: '*/*', ...(given !== undefined && { 'x-amzn-bedrock-request-metadata': given }) };
  const sent = writeInHeader({ headers, body: Buffer.from('{"requestMetadata":1}') }, own);
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
    expect(inBody(given)).toBe(sent);
  });

  test('with more entries than fit the last of ours are left out, and none of the caller', () => {
    expect(inBody(`{"requestMetadata":{${many(15)}}}`)).toBe(`{"requestMetadata":{"event":"evt_1",${many(15)}}}`);
    for (const count of [16, 17])
      expect(inBody(`{"requestMetadata":{"event":"x",${many(count)}}}`)).toBe(`{"requestMetadata":{${many(count)}}}`);
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
    expect(() => inBody(given)).toThrow(`${fault}, and this proxy writes into it who calls`);
  });
});

describe('in a header', () => {
  test.each([
    [undefined, 'X-Amzn-Bedrock-Request-Metadata', `{${told}}`],
    ['{"team": "a"}', 'x-amzn-bedrock-request-metadata', `{${told},"team":"a"}`],
    ['{"event":"evt_2","caf\xc3\xa9":"\xff"}', 'x-amzn-bedrock-request-metadata', `{${told},"caf\xc3\xa9":"\xff"}`],
  ])('%s', (given, name, value) => {
    expect(inHeader(given)).toEqual([name, value]);
  });

  test.each([
    [['{}', '{}'], 'is given twice'],
    ['agent=agt_1', 'is no JSON object'],
    ['', 'is no JSON object'],
  ])('%s is refused', (given, fault) => {
    expect(() => inHeader(given)).toThrow(`X-Amzn-Bedrock-Request-Metadata ${fault}`);
  });
});

test('it is written where AWS reads it', () => {
  const written = ['converse', 'converse-stream', 'invoke', 'invoke-with-response-stream', 'count-tokens'].map(
    (verb) => bedrock.match(`/model/anthropic.claude-sonnet-5/${verb}`, 'POST')?.writeMetadata,
  );
  expect(written).toEqual([writeInBody, writeInBody, writeInHeader, writeInHeader, undefined]);
});
