import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DemoRequest, Endpoint } from '../endpoint.ts';
import { parseRequest } from '../parse-request.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readText, requireFile } from './read-form.ts';

const fields = z.looseObject({ purpose: z.string().min(1).max(100) });

/** The last files, in memory: the oldest goes first. */
const kept = new Map<string, { json: object; bytes: Buffer }>();
const maxKept = 16;
const maxKeptBytes = 64 * 1024 * 1024;

function keep(id: string, json: object, bytes: Buffer): void {
  kept.delete(id);
  kept.set(id, { json, bytes });
  const sum = () => [...kept.values()].reduce((total, file) => total + file.bytes.length, 0);
  while (kept.size > maxKept || sum() > maxKeptBytes) kept.delete([...kept.keys()][0] as string);
}

function find({ params: [id = ''] }: DemoRequest) {
  const file = kept.get(id);
  if (file) return file;
  throw new ProviderFault('not_found', `The demo has no such file: it keeps the last ${maxKept}.`, 'id');
}

/** `POST /v1/files`: its id may be used in messages. */
export const answerFile: Endpoint = async ({ form }) => {
  const file = requireFile(form, 'file');
  const { purpose } = parseRequest(fields, readText(form, ['purpose']));
  const bytes = Buffer.from(await file.arrayBuffer());
  const id = `file-${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}`;
  const json = {
    id,
    object: 'file',
    bytes: file.size,
    created_at: Math.floor(Date.now() / 1_000),
    filename: file.name.slice(0, 1_000),
    purpose,
    status: 'processed',
  };
  keep(id, json, bytes);
  return { json };
};

/** `GET /v1/files`: the latest first. */
export const listFiles: Endpoint = () => {
  const data = [...kept.values()].map(({ json }) => json).reverse();
  return { json: { object: 'list', data, has_more: false } };
};

/** `GET /v1/files/{id}`. */
export const showFile: Endpoint = (request) => ({ json: find(request).json });

/** `GET /v1/files/{id}/content`. */
export const answerFileContent: Endpoint = (request) => ({
  bytes: find(request).bytes,
  type: 'application/octet-stream',
});
