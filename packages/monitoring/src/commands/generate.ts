import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listGeneratedFiles } from '../generated-files.ts';

for (const { path, text } of listGeneratedFiles()) {
  const file = join(import.meta.dirname, '../..', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
