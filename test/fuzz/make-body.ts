import { gzipSync } from 'node:zlib';
import type { PlannedRequest } from './plan-request.ts';
import type { BodyForm } from './request-forms.ts';

export const words = (count: number, word: string): string => Array.from({ length: count }, () => word).join(' ');

function makeCall({ kind, stream, inputWords }: PlannedRequest, content = words(inputWords, 'alpha')): object {
  if (kind === 'generate') {
    return { contents: [{ role: 'user', parts: [{ text: content }] }], generationConfig: { maxOutputTokens: 150 } };
  }
  return { model: 'fuzz-1', stream, max_tokens: 150, messages: [{ role: 'user', content }] };
}

/** The bytes of a request's body. */
export function makeBody(request: PlannedRequest): Buffer {
  const call = makeCall(request);
  const json = JSON.stringify(call);
  const text = words(request.inputWords, 'alpha');
  const withMembers = (more: object) => Buffer.from(JSON.stringify({ ...call, ...more }));
  const inject = (members: string) => Buffer.from(json.replace('{', `{${members},`));
  const changed: Record<BodyForm, () => Buffer> = {
    plain: () => Buffer.from(json),
    'usage refused': () => withMembers({ stream_options: { include_usage: false } }),
    'usage half asked': () =>
      inject('"stream_options":{"include_usage":false,"include_usage":true},"stream_options":null'),
    'repeated members': () => inject('"stream":false,"max_tokens":1,"model":"fuzz-2"'),
    'filler before': () => Buffer.from(JSON.stringify(makeCall(request, `${'A'.repeat(1_024)} ${text}`))),
    'filler behind': () =>
      Buffer.from(JSON.stringify(makeCall(request, `${text} data:image/png;base64,${'='.repeat(2_000)}`))),
    'odd bounds': () => withMembers({ max_tokens: 0.4, max_completion_tokens: '1', n: -1, best_of: null }),
    'objects for names': () =>
      inject('"modalities":[{"toString":0}],"tools":[{"type":{"toString":0}}],"tool_choice":{"toString":0}'),
    'byte order mark': () => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(json)]),
    'UTF-16': () => Buffer.from(`\ufeff${json}`, 'utf16le'),
    'NUL behind': () => Buffer.from(`${json}\0`),
    'space before': () => Buffer.from(`${' \n\t'.repeat(5_000)}${json}`),
    gzip: () => gzipSync(json),
    cut: () => Buffer.from(json.slice(0, request.dice % json.length)),
    deep: () => withMembers({ metadata: JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`) }),
    'deep and broken': () => Buffer.from(`${'[1,'.repeat(10_000)}"x`),
    'not JSON': () => Buffer.from(text),
    empty: () => Buffer.alloc(0),
    'many members': () => inject(Array.from({ length: 10_500 }, (_, index) => `"m${index}":0`).join(',')),
    'escaped names': () =>
      Buffer.from(json.replace('"max_tokens"', '"max\\u005ftokens"').replace('"stream"', '"\\u0073tream"')),
    'invalid UTF-8': () => Buffer.from(json.replace('alpha', 'alph\u00ff'), 'latin1'),
    'huge numbers': () => inject('"n":1e999,"max_output_tokens":-1e400,"seed":123456789012345678901234567890'),
    __proto__: () => inject('"__proto__":{"stream":true},"constructor":{"prototype":1}'),
    'no bound': () => Buffer.from(json.replace('"max_tokens":150,', '').replace('"maxOutputTokens":150', '')),
    array: () => Buffer.from(`[${json}]`),
  };
  return changed[request.body]();
}
