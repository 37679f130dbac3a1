import { writeFileSync } from 'node:fs';
import { renderPages } from './generated-tables.ts';

for (const { file, after } of renderPages()) writeFileSync(file, after);
