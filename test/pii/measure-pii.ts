/**
 * How good PII detection is on a public labelled data set: precision, recall and F1 of each type by overlap, and which label
 * was taken for what. Rules were made looking at texts of even template numbers alone; those of odd ones show how they do on
 * sentences that nobody looked at.
 *
 * Takes the path of presidio-research's `synth_dataset_v2.json` (an argument or PII_DATA_SET), and `--misses` to also print what
 * was missed or wrong in texts of even templates. Ends with 1 where a target is not met, or nothing
 * is at a path that was named, and with 0 where there is no data set at the usual one.
 */
import { existsSync } from 'node:fs';
import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder, type PiiType, piiTypes } from '@agp/pii';
import { type LabelledText, readLabelledTexts, typeOfLabel } from './labelled-text.ts';
import { addScores, rate, type Score, type Scores, scoreFindings } from './score-findings.ts';

/** The least F1 of a type whose form is fixed or has check digits, and of all types but names together. */
const targets = { sure: 0.93, overall: 0.85 };

const args = process.argv.slice(2);
const named = args.find((arg) => !arg.startsWith('--')) ?? process.env.PII_DATA_SET;
const path = named ?? '../shared/data/pii/synth_dataset_v2.json';

function percent(share: number): string {
  return Number.isNaN(share) ? '     -' : share.toFixed(3).padStart(6);
}

function describe(name: string, score: Score): string {
  const { precision, recall, f1 } = rate(score);
  const counts = [score.labels, score.findings].map((count) => String(count).padStart(8)).join(' ');
  return `${name.padEnd(26)} ${[precision, recall, f1].map(percent).join('  ')} ${counts}`;
}

const withoutNames = (scores: Scores): Score =>
  addScores([...scores.byType].flatMap(([type, score]) => (type === 'person_name' ? [] : [score])));

/** Prints one table and gives what falls short of the targets. */
function printScores(title: string, scores: Scores): string[] {
  console.log(`\n${title.padEnd(26)} precis  recall      F1   labels findings`);
  const types = [...scores.byType].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([type]) => type !== 'person_name');
  for (const [type, score] of types) console.log(describe(type, score));
  const overall = withoutNames(scores);
  console.log(describe('all but names', overall));
  const names = scores.byType.get('person_name');
  if (names) console.log(describe('person_name (apart)', names));
  const isSure = (type: PiiType) => ['checksum', 'fixed'].includes(piiTypes[type].form);
  const short = types.filter(([type, score]) => isSure(type) && score.labels > 0 && rate(score).f1 < targets.sure);
  const missed = short.map(([type, score]) => `${type}: F1 ${rate(score).f1.toFixed(3)} < ${targets.sure}`);
  if (!(rate(overall).f1 >= targets.overall))
    missed.push(`overall: F1 ${rate(overall).f1.toFixed(3)} < ${targets.overall}`);
  return missed.map((target) => `${title}: ${target}`);
}

function printConfusion({ confusion }: Scores): void {
  console.log('\nwhat a finding of ours (rows) overlaps, and what was found by nothing');
  for (const [ours, row] of [...confusion].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cells = [...row].sort(([, a], [, b]) => b - a).map(([theirs, count]) => `${theirs} ${count}`);
    console.log(`  ${ours.padEnd(20)} ${cells.join(', ')}`);
  }
}

function printMapping(texts: readonly LabelledText[]): void {
  const names = [...new Set(texts.flatMap(({ labels }) => labels.map(({ name }) => name)))].sort();
  const mapped = names.filter((name) =>
    texts.some(({ labels }) => labels.some((label) => label.name === name && label.type)),
  );
  console.log(`${texts.length} texts of ${new Set(texts.map(({ template }) => template)).size} templates`);
  console.log('labels and our types:');
  for (const name of mapped) console.log(`  ${name.padEnd(20)} ${typeOfLabel[name] ?? 'date_of_birth'}`);
  console.log(`  of no type of ours: ${names.filter((name) => !mapped.includes(name)).join(', ')}`);
}

function printMisses({ missed, wrong }: Scores): void {
  for (const [title, misses] of [
    ['missed', missed],
    ['wrong', wrong],
  ] as const) {
    for (const { type, text, start, end } of misses) {
      const around = `${text.slice(Math.max(0, start - 40), start)}[[${text.slice(start, end)}]]${text.slice(end, end + 40)}`;
      console.log(`${title} ${type}: ${JSON.stringify(around)}`);
    }
  }
}

function main(): number {
  if (!existsSync(path)) {
    // A path that somebody named must not pass for measured.
    console.log(`${named ? 'failed' : 'skipped'}: there is no data set at ${path}`);
    return named ? 1 : 0;
  }
  const texts = readLabelledTexts(path);
  const find = createPiiFinder({ personNames: createPersonNameDetector() });
  printMapping(texts);
  const even = scoreFindings(
    texts.filter(({ template }) => template % 2 === 0),
    find,
  );
  const odd = scoreFindings(
    texts.filter(({ template }) => template % 2 === 1),
    find,
  );
  const all = scoreFindings(texts, find);
  printScores('even templates (seen)', even);
  printScores('odd templates (held out)', odd);
  const short = printScores('all', all);
  printConfusion(all);
  if (args.includes('--misses')) printMisses(even);
  for (const target of short) console.log(`\nshort of target, ${target}`);
  return short.length > 0 ? 1 : 0;
}

process.exitCode = main();
