import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSystem } from '../system/start-system.ts';
import { conditions, type Recorded } from './conformance/cell.ts';
import { compatibleProviders, operatorPrices } from './conformance/dialects.ts';
import { findMisread } from './conformance/find-misread.ts';
import { printTable, type Result } from './conformance/print-table.ts';
import { rows } from './conformance/rows.ts';
import { ConformanceProvider, runCell, type Seen } from './conformance/run-cell.ts';
import { type FormedCell, toForm, wireForms } from './conformance/wire-forms.ts';

interface Call extends Pick<Result, 'row' | 'column'> {
  cell: FormedCell;
}

/** As many calls run at once. */
const atOnce = 16;

/** The first row of each way in which bytes come: the services treat others of it alike, only what is read of them differs. */
const firsts = new Set(
  Map.groupBy(rows, ({ stream, asksUsage }) => `${stream} ${asksUsage}`)
    .values()
    .flatMap((alike) => alike.slice(0, 1)),
);

const calls: Call[] = rows.flatMap((row) => [
  ...conditions.flatMap((column) => {
    const cell = row.cells[column];
    return cell ? [{ row, column, cell }] : [];
  }),
  ...(firsts.has(row) ? wireForms : []).flatMap((column) => {
    const cell = toForm(row, column);
    return cell ? [{ row, column, cell }] : [];
  }),
]);

const nameOf = ({ row, column }: Pick<Call, 'row' | 'column'>) =>
  `${row.api}, ${row.stream === 'no' ? 'not streamed' : row.stream}: ${column}`;

/** What the table says of a call, from its record. */
function pick(expected: Recorded, recorded: Record<string, unknown>): Recorded {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, recorded[name]])) as unknown as Recorded;
}

const seen = new Map<Call, Seen | Error>();

function toResult(call: Call): Result {
  const { row, column, cell } = call;
  const found = seen.get(call);
  if (!found || found instanceof Error) return { row, column, recorded: null, isRight: false };
  const recorded = pick(cell.expected, found.recorded);
  const isRight = found.answerIsRight && found.requestIsRight && isDeepStrictEqual(recorded, cell.expected);
  return { row, column, recorded, isRight };
}

beforeAll(async () => {
  const provider = new ConformanceProvider();
  await using fake = await startFakeProvider(provider.answer);
  using folder = mkdtempDisposableSync(join(tmpdir(), 'agp-conformance-'));
  const write = (name: string, content: object) => {
    writeFileSync(join(folder.path, name), JSON.stringify(content));
    return join(folder.path, name);
  };
  const providers = compatibleProviders.map((each) => ({ ...each, api: 'openai', base_url: fake.url }));
  await using system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: fake.url,
      PROVIDER_ANTHROPIC_URL: fake.url,
      PROVIDER_GEMINI_URL: fake.url,
      PROVIDERS_FILE: write('providers.json', providers),
      PRICES_FILE: write('prices.json', operatorPrices),
      PII_BUDGET_MS: '30000',
    },
  });
  const waiting = calls.values();
  const work = async () => {
    for (const call of waiting) {
      seen.set(call, await runCell(system, provider, call.row, call.cell).catch((error: Error) => error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
});

afterAll(() => {
  console.log(printTable(rows, calls.map(toResult)));
});

test.each(calls.map((call) => [nameOf(call), call] as const))('%s', (_, call) => {
  const found = seen.get(call);
  if (!found || found instanceof Error) throw found ?? new Error('not run');
  expect(pick(call.cell.expected, found.recorded)).toEqual(call.cell.expected);
  expect(found).toMatchObject({ answerIsRight: true, requestIsRight: true });
});

test.each(rows.map((row) => [`${row.api}, ${row.stream}`, row] as const))(
  '%s: the same is read of each form, however it is divided',
  async (_, row) => {
    // Where a frame ends is found in the same way for all rows of a kind.
    expect(await findMisread(row, firsts.has(row) ? 1 : 41)).toEqual([]);
  },
);

test('the table is as large as it should be', () => {
  expect(calls.length).toBeGreaterThanOrEqual(150);
});
