// npm run prove: holds what the product promises against loads, and prints one table.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { startTestServers, useTestServers } from '@agp/testing';
import { listStories } from './list-stories.ts';
import { type ProveOptions, readOptions, usage } from './read-options.ts';
import type { Figures, Story } from './story.ts';
import { isTried, type Result, writeTable } from './write-table.ts';

const folder = '.data/prove';

async function tell({ name, promise, run }: Story): Promise<Result> {
  console.log(`\n${name}: ${promise}`);
  const figures: Figures = {};
  const started = performance.now();
  let fault: string | null = null;
  const onFault = (error: unknown) => {
    console.error(error);
    fault ??= stripVTControlCharacters(error instanceof Error ? error.message : String(error)) || 'no reason given';
  };
  process.on('uncaughtException', onFault);
  await run((more) => void Object.assign(figures, more)).catch(onFault);
  process.off('uncaughtException', onFault);
  const result = { name, promise, figures, fault, seconds: (performance.now() - started) / 1_000 };
  console.log(result.figures, fault === null ? 'kept' : 'BROKEN');
  return result;
}

const describeLoad = () =>
  `${availableParallelism()} CPUs, load of the last minute ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;

async function prove(options: ProveOptions): Promise<boolean> {
  const { servers, stop } = await startTestServers();
  useTestServers(servers);
  const began = new Date();
  const before = describeLoad();
  const results: Result[] = [];
  try {
    for (const story of options.stories) results.push(await tell(story));
  } finally {
    await stop();
  }
  const minutes = ((Date.now() - began.getTime()) / 60_000).toFixed(1);
  const table = writeTable(results);
  const broken = results.filter(({ fault }) => fault !== null);
  const tried = results.filter((result) => result.fault !== null || isTried(result));
  const untried = tried.length < results.length ? `, ${results.length - tried.length} not tried` : '';
  const summary = `${tried.length - broken.length} of ${tried.length} promises kept${untried} in ${minutes} minutes`;
  const page = `# npm run prove\n\n${began.toISOString()}: ${summary}. At the beginning: ${before}; at the end: ${describeLoad()}.\n\n${table}`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${began.toISOString().replace(/[:.]/g, '-')}.md`;
  writeFileSync(file, page);
  console.log(`\n${table}\n${summary}; written to ${file}`);
  return broken.length === 0;
}

if (process.argv.some((argument) => argument === '--help' || argument === '-h')) {
  console.log(usage);
  process.exit();
}
const options = readOptions(process.argv.slice(2), listStories);
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exitCode = 2;
} else if (options.isList) {
  for (const { name, promise } of options.stories) console.log(`${name.padEnd(20)} ${promise}`);
} else {
  process.exit((await prove(options)) ? 0 : 1);
}
