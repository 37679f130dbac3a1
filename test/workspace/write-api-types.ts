import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeApiTypes } from '@agp/console/build/types';
import { buildDocument } from '../../services/management/src/openapi.ts';
import { listRoutes } from '../../services/management/src/routes/index.ts';
import { workspaceFolder } from './run-tool.ts';

/** Writes the types of the API that the console's code is checked against: those of the routes as they are now. */
export async function writeApiTypes(): Promise<void> {
  const file = join(workspaceFolder, 'packages/console/src/api/schema.d.ts');
  const types = await makeApiTypes(buildDocument(listRoutes()));
  if (!existsSync(file) || readFileSync(file, 'utf8') !== types) writeFileSync(file, types);
}
