import { expect, test } from 'vitest';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { atOnce, replaceInSteps } from './replace-places.ts';
import { searchBytes } from './search-bytes.ts';

const config = {
  kinds: ['no'],
  patterns: [{ kind: 'no', pattern: '[A-Z]{2}[0-9]{5}', longest: 7 }],
  findsLabels: false,
};

function change(body: unknown, from: 'request' | 'answer') {
  const bytes = Buffer.from(JSON.stringify(body));
  const { places, unsearched } = searchBytes({ bytes, contentType: '', from, mayBeText: false, config });
  const changed = atOnce(replaceInSteps(bytes, places, (kind) => `[${kind}]`)).toString();
  return { body: JSON.parse(changed) as unknown, unsearched };
}
const base64 = 'AB12345+'.repeat(200);

test.each<[string, unknown, string | null]>([
  ['a vector', { data: [{ object: 'embedding', index: 0, embedding: base64.slice(0, 344) }] }, null],
  [
    'a generated picture',
    { output: [{ type: 'image_generation_call', id: 'ig', result: base64 }] },
    'the member "result"',
  ],
  [
    'a part of it',
    { type: 'response.image_generation_call.partial_image', partial_image_b64: base64 },
    'the member "partial',
  ],
  ['a picture of a gateway', { type: 'image', image_base64: base64 }, 'the member "image_base64"'],
  ['a picture of Vertex AI', { predictions: [{ bytesBase64Encoded: base64 }] }, 'the member "bytesBase64Encoded"'],
])('%s stays as it is', (_name, body, unsearched) => {
  for (const from of ['request', 'answer'] as const) {
    const found = change(body, from);
    expect(found.body).toEqual(body);
    expect(found.unsearched).toEqual(unsearched && expect.stringContaining(unsearched));
  }
  expect(passFrames(openRedactor(config.kinds, config), [body, body]).passed).toEqual([body, body]);
});

test.each([{ result: base64 }, { embedding: 'AB12345' }, { output: [{ type: 'program_output', result: base64 }] }])(
  'what only has the name of such a member is searched: %j',
  (body) => expect(JSON.stringify(change(body, 'answer').body)).not.toContain('AB12345'),
);

const short = Buffer.from('mail ada@example.com now').toString('base64');
const inBlock = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });

test.each<[string, object]>([
  ['bytes', { document: { format: 'txt', name: 'a', source: { bytes: short } } }],
  ['bytes', { image: { format: 'png', source: { bytes: short } } }],
  ['bytes', { toolResult: { toolUseId: 't', content: [{ document: { source: { bytes: short } } }] } }],
  ['bytes', { guardContent: { image: { source: { bytes: short } } } }],
  ['uri', { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k' } } } }],
])('the member "%s" of a block of Converse is not searched, and told so', (name, block) => {
  expect(change(inBlock(block), 'request').unsearched).toContain(`the member "${name}"`);
});

test('what Bedrock counts in Base64 is not searched, and told so', () => {
  expect(change({ input: { invokeModel: { body: short } } }, 'request').unsearched).toContain('the member "body"');
});
