// Runs `npm test` with `npm run check` beside it, then once more, alone, the files that failed. What passes then is unsteady: named, kept
// in .data/unsteady.txt, and counted as passed. Plain JavaScript, since it runs before anything is installed.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = '.data/test-report.json';
/** More than these are no accident of a busy machine, and are not run again. */
const mostAgain = 20;

process.env.CI = 'true';
mkdirSync('.data', { recursive: true });

/** @returns its exit code and, unless it is shown at once, what it printed */
function npm(args, shown = true) {
  const output = shown ? 'inherit' : 'pipe';
  const child = spawn('npm', args, { stdio: ['ignore', output, output] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (more) => (text += more));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}

/** Runs test files, all if none is named. A file that could not be loaded has failed without a failed test in it. */
async function test(files = []) {
  rmSync(report, { force: true });
  const { code } = await npm(['test', '--', ...files]);
  let results = [];
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    console.log('The test run ended before it wrote its report.');
  }
  const count = (status) =>
    results.flatMap((file) => file.assertionResults).filter((each) => each.status === status).length;
  const failedFiles = results.filter((file) => file.status === 'failed');
  const unloaded = failedFiles.filter((file) => file.assertionResults.every((each) => each.status !== 'failed'));
  const failed = count('failed') + unloaded.length;
  // An error outside of any test, or a crash, counts as one failure.
  const isBroken = (code !== 0 && failed === 0) || results.length === 0;
  return { passed: count('passed'), failed, isBroken, files: failedFiles.map(({ name }) => relative('.', name)) };
}

const checking = npm(['run', '--silent', 'check'], false);
const first = await test();
const check = await checking;
console.log(check.text);

let { passed, failed } = first;
const unsteady = [];
if (first.files.length > 0 && first.files.length <= mostAgain && !first.isBroken) {
  for (const file of first.files) {
    console.log(`once more, alone: ${file}`);
    const again = await test([file]);
    if (again.failed === 0 && !again.isBroken && again.passed > 0) unsteady.push(file);
    else console.log(`failed twice: ${file}`);
  }
  if (unsteady.length === first.files.length) {
    passed += failed;
    failed = 0;
  }
}
writeFileSync('.data/unsteady.txt', unsteady.map((file) => `${file}\n`).join(''));
for (const file of unsteady) console.log(`unsteady: ${file}`);
if (first.isBroken) failed += 1;
if (check.code !== 0) failed += 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
