import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { ReceivedRequest } from '@agp/testing/providers';
import { type BilledUsage, chargeCall, dearestPrice, type ListPrice, listPrices } from './list-prices.ts';

/*
 * How the worst of all servers would read a request: it takes any body for one that it understands, of what contradicts
 * itself always the dearer, and for what has no bound as much as there is. It knows nothing of how the proxy reads.
 */

/** What the worst of servers makes of a request. */
export interface WorstBill {
  /** What it charges, in nano-dollars. */
  nanoUsd: number;
  /** What of that its answer tells; fees that it does not tell of come on top. */
  usage: BilledUsage;
  /** What it says has answered. */
  model: string;
}

const mostOutput = 128_000;
/** A fee for whatever has no price in a list: hours of containers, research by an agent, a batch. */
const fee = 20e9;

function decompress(body: Buffer): Buffer {
  for (const undo of [gunzipSync, inflateSync, brotliDecompressSync]) {
    try {
      return undo(body);
    } catch {
      // Then it was another, or none.
    }
  }
  return body;
}

/** In any encoding of Unicode that holds plain text, without what stands around it. */
const toText = (body: Buffer) =>
  decompress(body)
    .toString('utf8')
    .replace(/[\0\ufeff\ufffd]/g, '');

const undoEscapes = (text: string) =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** As a lenient server compares names. */
const fold = (name: string) =>
  undoEscapes(name)
    .toUpperCase()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

type Pair = [name: string, value: string];

/** Each name with what stands behind it, at any depth, in the body and in the query. */
function findPairs(text: string, target: string): Pair[] {
  const inJson = text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^[\]{}]*\]|[^\s,{}[\]]+)?/g);
  const inQuery = new URLSearchParams(target.split('?')[1] ?? '');
  return [
    ...[...inJson].map(([, name = '', value = '']): Pair => [fold(name), undoEscapes(value)]),
    ...[...inQuery].map(([name, value]): Pair => [fold(name), value]),
  ];
}

/** What a number might be; NaN for what is none. */
function toNumber(value: string): number {
  const plain = value.replace(/^[["\s]+|[\]"\s]+$/g, '');
  return plain === '' ? Number.NaN : plain === 'true' ? 1 : Number(plain);
}

const isWhole = (value: string) => /^\d+$/.test(value) && Number(value) > 0;

const honoured: readonly (readonly [RegExp, readonly string[]])[] = [
  [/chat\/completions/, ['maxtokens', 'maxcompletiontokens']],
  [/completions|messages/, ['maxtokens']],
  [/responses/, ['maxoutputtokens']],
  [/:|interactions/, ['maxoutputtokens']],
];

const boundLike = /^(?:max|min|num|n).*(?:tokens?|length|len|predict)/;
const answersLike =
  /^(?:n|bestof|candidatecount|batchsize|samplecount|num(?:images|outputs|returnsequences|generations|completions|samples))$/;
const thinkingLike = /budget/;

function readOutput(pairs: readonly Pair[], path: string): number {
  const own = honoured.find(([operation]) => operation.test(path))?.[1] ?? [];
  const bounds = pairs.filter(([name, value]) => boundLike.test(name) && value !== 'null' && value !== '');
  const mine = bounds.filter(([name]) => own.includes(name));
  const isBounded = mine.length > 0 && mine.every(([, value]) => isWhole(value));
  const numbers = bounds.map(([, value]) => toNumber(value)).filter((number) => number > 0);
  const most = Math.max(isBounded ? 0 : mostOutput, ...numbers.map(Math.ceil));
  const thoughts = pairs.filter(([name]) => thinkingLike.test(name)).map(([, value]) => toNumber(value));
  const thinking = thoughts.reduce((sum, each) => sum + Math.max(each, 0), 0);
  const isOtherKind = pairs.some(([name, value]) => /modalities$/.test(name) && /audio|image/i.test(value));
  return Math.min(isOtherKind ? Math.max(most, mostOutput) : most, 10_000_000) + Math.min(thinking, 10_000_000);
}

function countAnswers(pairs: readonly Pair[], text: string): number {
  const counts = pairs.filter(([name]) => answersLike.test(name)).map(([, value]) => Math.ceil(toNumber(value)));
  const prompts = pairs.filter(([name, value]) => name === 'prompt' && value.startsWith('['));
  const many = /"prompt"\s*:\s*\[\s*\[/.test(text) ? text.split('],[').length : 1;
  const each = prompts.map(([, value]) => (/^\[\s*"/.test(value) ? value.split('","').length : 1));
  return Math.min(Math.max(1, ...counts.filter((count) => count > 0)) * Math.max(many, ...each), 1_000_000);
}

const media =
  /image_url|inline_?data|file_?data|input_audio|file_?id|"type"\s*:\s*"(?:image|document|file|video|audio|item_reference|reasoning)"|previous_|conversation|cached_?content|filename=/i;
const unpriced =
  /code_?(?:execution|interpreter)|file_search|"mcp|mcp_servers|container|image_generation|google_?search|web_search_options|plugins|url_?context|"agent"|"svg"|compact|search-preview|"prompt"\s*:\s*\{|advisor/i;

function countSearches(pairs: readonly Pair[], text: string): number {
  const tools = text.match(/"type"\s*:\s*"web_search/g)?.length ?? 0;
  if (tools === 0) return 0;
  const isMessages = /web_search_\d{8}"/.test(text);
  const bounds = pairs.filter(([name]) => name === (isMessages ? 'maxuses' : 'maxtoolcalls'));
  const isBounded = bounds.length >= (isMessages ? tools : 1) && bounds.every(([, value]) => /^\d+$/.test(value));
  return isBounded ? bounds.reduce((sum, [, value]) => sum + Number(value), 0) : 1_000;
}

function findPrice(pairs: readonly Pair[], path: string): { model: string; price: ListPrice } {
  const ofPath = /\/(?:models|deployments)\/([^/:]+)/.exec(path)?.[1];
  const inBody = pairs
    .filter(([name]) => /^models?$/.test(name))
    .flatMap(([, value]) => value.match(/[^"[\],\s]+/g) ?? []);
  const names = [ofPath, ...inBody].flatMap((name) => (name === undefined ? [] : [name.replace(/^models\//, '')]));
  const models = names.map((model) => ({ model, price: listPrices[model] ?? dearestPrice }));
  if (models.length === 0) return { model: 'unheard-of', price: dearestPrice };
  return models.reduce((a, b) => (b.price.output * 10 + b.price.input > a.price.output * 10 + a.price.input ? b : a));
}

/** The list price's multiple, as a fraction, of models that cost less than twice. */
const priority: Readonly<Record<string, readonly [number, number]>> = {
  'gpt-4o-mini': [5, 3],
  'gpt-4o': [7, 4],
  'gemini-2.5-flash': [9, 5],
  'gemini-2.5-pro': [9, 5],
};

/** How much more the kind of service costs that is asked for. The speed of speech is how fast it is spoken. */
function multiply(nanoUsd: number, pairs: readonly Pair[], path: string, model: string): number {
  const has = (name: string, value: RegExp) => pairs.some(([key, given]) => key === name && value.test(given));
  const [times, of] = has('servicetier', /priority|scale/i) ? (priority[model] ?? [2, 1]) : [1, 1];
  const fast = has('speed', /fast/) && !path.endsWith('/speech') ? 6 : 1;
  return (nanoUsd * times * fast * (has('inferencegeo', /us/) ? 11 : 10)) / (of * 10);
}

/** Calls that write nothing for as long as they are not made to. */
const writesNothing = /embed/i;
const isKnown =
  /\/(?:chat\/completions|completions|responses|embeddings|images\/(?:generations|edits)|audio\/speech|messages|interactions)$|:(?:generateContent|embedContent|batchEmbedContents)$/;

/** Characters of the longest text that may be meant to be spoken. */
function countSpoken(text: string): number {
  const inputs = [...text.matchAll(/"input"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, value = '""']) => {
    try {
      return (JSON.parse(value) as string).length;
    } catch {
      return value.length;
    }
  });
  return Math.max(0, ...inputs);
}

/** The worst bill that a request can lead to. */
export function readAtWorst({ target, body }: Pick<ReceivedRequest, 'target' | 'body'>): WorstBill {
  const path = target.split('?')[0] ?? '';
  const text = toText(body);
  const pairs = findPairs(text, target);
  const { model, price } = findPrice(pairs, path);
  const searches = countSearches(pairs, text);
  const pictures = path.includes('/images/');
  const answers = countAnswers(pairs, text);
  const isCommon = !pairs.some(
    ([name, value]) => name === 'size' && !/^"?(?:auto|1024x1024|1536x1024|1024x1536)"?$/.test(value),
  );
  const picture = isCommon ? 6_240 + 300 : 60_000;
  const written = pictures ? picture : writesNothing.test(path) ? 0 : readOutput(pairs, path);
  const predicted = pairs.some(([name]) => name === 'prediction') ? text.length : 0;
  const named = text.match(new RegExp(media, 'gi'))?.length ?? 0;
  // One sign that a tokenizer may spell out as eighteen letters, of thirty-three bytes.
  const spelt = text.replace(/\ufdfa|\\ufdfa/gi, 'x'.repeat(33));
  const read = Buffer.byteLength(spelt) + 1_000;
  const seen = writesNothing.test(path) ? read + named * price.context : Math.max(read, price.context);
  const spoken = path.endsWith('/speech') ? countSpoken(text) : 0;
  const usage: BilledUsage = {
    inputTokens: (named > 0 || searches > 0 ? seen : read) * (1 + searches),
    outputTokens: Math.min(answers * written + predicted, 900_000_000),
    searches,
    characters: price.character ? spoken : 0,
  };
  const extra = (isKnown.test(path) ? 0 : fee) + (unpriced.test(text) ? fee : 0);
  return {
    nanoUsd: multiply(chargeCall(price, usage), pairs, path, model) + extra,
    usage,
    model: price.answersAs ?? model,
  };
}
