import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { parseRequest } from '../parse-request.ts';
import { readText, requireFile } from './read-form.ts';

const fields = z.looseObject({ purpose: z.string().min(1).max(100) });

/** `POST /v1/files`: the file is not kept, and its id may be used in messages. */
export const answerFile: Endpoint = async ({ form }) => {
  const file = requireFile(form, 'file');
  const { purpose } = parseRequest(fields, readText(form, ['purpose']));
  const digest = createHash('sha256').update(Buffer.from(await file.arrayBuffer()));
  return {
    json: {
      id: `file-${digest.digest('hex').slice(0, 24)}`,
      object: 'file',
      bytes: file.size,
      created_at: Math.floor(Date.now() / 1_000),
      filename: file.name.slice(0, 1_000),
      purpose,
      status: 'processed',
    },
  };
};
