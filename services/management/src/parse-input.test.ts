import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from './requests.ts';

const schema = z.strictObject({
  scopes: z.array(z.enum(['read', 'write'])),
  failed: z.enum(['true']).optional(),
});

test.each([
  [{ scopes: ['read', 'root'] }, 'scopes.1: must be one of read, write'],
  [{ scopes: [], failed: '1' }, 'failed: must be true'],
  [{ scopes: [], other: 1 }, 'other: unknown field'],
])('%j is refused: %s', (value, message) => {
  expect(() => parseInput(schema, value, 'body')).toThrow(message);
});
