import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manifests } from '../components.ts';
import { listChartFiles } from './chart-files.ts';

for (const { path, text } of await listChartFiles()) {
  const file = join(manifests, 'chart', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
