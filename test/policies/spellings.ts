import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { inPath, operations, type OperationRow as Row, wrapCall, writeForm } from '@agp/testing/corpus';
import { type Names, places, stored } from './calls.ts';

/** A request as its agent writes it. */
export interface Wire {
  path: string;
  body?: Buffer | undefined;
  headers?: Record<string, string>;
  /** Without a length. */
  isChunked?: boolean;
}

export interface Case {
  /** The place, or the spelling. */
  what: string;
  wire: Wire;
  /** A rule decides by the name; or it cannot be read which that is, or nothing is named. */
  is: 'named' | 'unread' | 'nothing';
}

/** All operations, with paths below the proxy's address. */
export const rows: readonly Row[] = operations.map((row) => ({ ...row, path: `/${row.provider}${row.path}` }));

const toBody = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

const compressions = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync };

/** What stands for the name until it is written in another way. */
const mark = '"model":"ok-mark"';

/** The same name in the ways in which JSON may be sent. */
function listJsonCases(row: Row, model: string): Case[] {
  // How much is read is the same for all that are read in the same way.
  const isFirst = rows.find((each) => each.model === 'body' && each.tools === row.tools) === row;
  const { path } = row;
  const json = (call: object) => JSON.stringify(wrapCall(row, call));
  const marked = json({ model: 'ok-mark', filler: 'x' });
  const written = (text: string) => toBody(marked.replace(mark, text));
  const plain = json({ model, filler: 'x' });
  const escaped = [...model].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const large = (what: string, write: () => string): [string, Omit<Wire, 'path'>][] =>
    isFirst ? [[what, { body: toBody(write()) }]] : [];
  const named: [string, Omit<Wire, 'path'>][] = [
    ['streamed', { body: toBody(json({ model, stream: true })) }],
    ['chunked', { body: toBody(plain), isChunked: true }],
    ['escaped', { body: written(`"mod\\u0065l":"${escaped}"`) }],
    ['in capitals', { body: toBody(json({ model: model.toUpperCase() })) }],
    ['behind spaces', { body: toBody(` \n\t ${plain}\r\n`) }],
    ...large('behind a megabyte', () => json({ filler: 'x'.repeat(1_100_000), model })),
    ...Object.entries(compressions).map(([encoding, encode]): [string, Omit<Wire, 'path'>] => [
      encoding,
      { body: encode(plain), headers: { 'content-encoding': encoding } },
    ]),
  ];
  const unread: [string, Omit<Wire, 'path'>][] = [
    ['repeated', { body: written(`"model":"ok-1","model":"${model}"`) }],
    ['repeated before', { body: written(`"model":"${model}","model":"ok-1"`) }],
    ['repeated by escapes', { body: written(`"model":"ok-1","mode\\u006c":"${model}"`) }],
    ['another case beside', { body: written(`"model":"ok-1","Model":"${model}"`) }],
    ['in a list', { body: written(`"model":["${model}"]`) }],
    ['a space behind', { body: written(`"model":"${model} "`) }],
    ['a look-alike', { body: written(`"model":"${model.replace('o', 'о').replace('a', 'а')}"`) }],
    ['byte order mark', { body: toBody(`\ufeff${plain}`) }],
    ['UTF-16', { body: Buffer.from(plain, 'utf16le') }],
    ['not UTF-8', { body: Buffer.from(plain.replace('{', '{"filler":"\xff",'), 'latin1') }],
    ['something behind', { body: toBody(`${plain}{}`) }],
    ...large('too many values', () => plain.replace('{', `{"filler":[${'1,'.repeat(600_000)}1],`)),
    ['too deep', { body: toBody(plain.replace('{', `{"filler":${'['.repeat(600)}${']'.repeat(600)},`)) }],
    ['another charset', { body: toBody(plain), headers: { 'content-type': 'application/json; charset=utf-7' } }],
    ['unknown encoding', { body: toBody(plain), headers: { 'content-encoding': 'lzma' } }],
    ['broken encoding', { body: toBody(plain), headers: { 'content-encoding': 'gzip' } }],
    ['a header that chooses', { body: toBody(plain), headers: { 'azureml-model-deployment': model } }],
    ['nothing', { body: toBody(json({ filler: 'x' })) }],
  ];
  const query = { path: `${path}?model=${model}`, body: toBody(json({ model: 'ok-1' })) };
  return [
    { what: 'in the query', is: 'named', wire: query },
    { what: 'the query alone', is: 'unread', wire: { ...query, body: toBody(json({ prompt: { id: 'p' } })) } },
    ...named.map(([what, wire]): Case => ({ what, is: 'named', wire: { path, ...wire } })),
    ...unread.map(([what, wire]): Case => ({ what, is: 'unread', wire: { path, ...wire } })),
  ];
}

function listFormCases({ path }: Row, model: string): Case[] {
  const file = { name: 'file', filename: 'a.mp3', type: 'audio/mpeg', content: Buffer.from('x') };
  const plain = writeForm({ model, prompt: 'x' }, file);
  const other = writeForm({ other: 'x', model: 'ok-1' }, file);
  const change = (from: string, to: string) => toBody(other.bytes.toString().replace(from, to));
  const headers = { 'content-type': plain.contentType };
  return [
    { what: 'a form', is: 'named', wire: { path, headers, body: plain.bytes } },
    { what: 'chunked', is: 'named', wire: { path, headers, body: plain.bytes, isChunked: true } },
    ...[
      change('name="other"\r\n\r\nx', `name="model"\r\n\r\n${model}`),
      change('name="other"\r\n\r\nx', `name="model"; filename=""\r\n\r\n${model}`),
      change('name="other"\r\n\r\nx', `name="other"; name="model"\r\n\r\n${model}`),
      toBody(`{"model":"${model}"}\r\n${other.bytes.toString()}`),
    ].map((body): Case => ({ what: 'a form of two readings', is: 'unread', wire: { path, headers, body } })),
  ];
}

/** All that a row can name by these names. */
export function listCases(row: Row, names: Names): Case[] {
  const { model, tools, method } = row;
  const path = row.path.replace(inPath, names.model);
  const usual = { model: model === 'body' ? 'ok-1' : undefined };
  const at = row.path.replace(inPath, 'ok-1');
  const post = (call: object): Wire => ({ path: at, body: toBody(wrapCall(row, { ...usual, ...call })) });
  const body = method === 'GET' || at.endsWith('/cancel') ? undefined : toBody({ ttl: '60s' });
  if (model === 'none') return [{ what: 'nothing', is: 'nothing', wire: { path, body } }];
  if (model === 'unread') return [{ what: 'stored', is: 'unread', wire: post({ model: names.model }) }];
  const inside = tools === undefined ? [] : Object.entries(places[tools]);
  const doubtful = tools === undefined ? [] : stored[tools];
  return [
    ...(model === 'body' ? listJsonCases(row, names.model) : []),
    ...(model === 'form' ? listFormCases(row, names.model) : []),
    ...(model === 'path'
      ? [
          { what: 'in the path', is: 'named', wire: { path, body: toBody(wrapCall(row, {})) } } as const,
          {
            what: 'escaped in the path',
            is: 'named',
            wire: { path: path.replace(':', '%3A'), body: toBody({}) },
          } as const,
          { what: 'beside the path', is: 'named', wire: post({ model: names.model }) } as const,
        ]
      : []),
    ...inside.map(([what, toCall]): Case => ({ what, is: 'named', wire: post(toCall(names)) })),
    ...doubtful.map((call): Case => ({ what: Object.keys(call).join(), is: 'unread', wire: post(call) })),
  ];
}
