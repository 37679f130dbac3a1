// npm run build:console: what is new in the sources goes into packages/console/dist.
import { buildConsole } from './build-console.ts';

const isNew = await buildConsole({ report: (line) => console.log(line) });
console.log(isNew ? 'The console is in packages/console/dist.' : 'The console is built from these sources already.');
