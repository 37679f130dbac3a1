import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOffload, type OffloadOptions } from './offload.ts';

const holder = { agentId: 'a', source: null };
const other = { agentId: 'b', source: null };

let folder: string;
let script: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agp-offload-'));
  const file = join(folder, 'worker.ts');
  const answers = import.meta.resolve('./offload.ts');
  await writeFile(
    file,
    `import { answerQuestions } from ${JSON.stringify(answers)};
     answerQuestions(async (question: string) => {
       if (question === 'hang') await new Promise(() => {});
       if (question === 'spin') for (;;);
       if (question === 'throw') throw new Error('thrown');
       if (question === 'break') setImmediate(() => { throw new Error('broke'); });
       if (question === 'break') await new Promise(() => {});
       if (question.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 300));
       return question.toUpperCase();
     });`,
  );
  script = pathToFileURL(file);
});
afterAll(() => rm(folder, { recursive: true }));

function open(options: Partial<OffloadOptions<string>> = {}) {
  return createOffload<string, string>(script, {
    timeoutMs: 20_000,
    maxPending: 40,
    maxPendingBytes: 400,
    ...options,
  });
}

test('each question has its own answer', async () => {
  const offload = open();
  expect(await Promise.all(['a', 'b', 'c'].map((question) => offload.ask(question, 1, holder)))).toEqual([
    'A',
    'B',
    'C',
  ]);
  await offload.stop();
});

test('a worker that does not answer ends with its one question, and waiting questions go to the next', async () => {
  const offload = open({ timeoutMs: 1_000 });
  await offload.ask('a', 1, holder);
  const [spun, waited] = await Promise.allSettled(['spin', 'b'].map((question) => offload.ask(question, 1, holder)));
  expect(spun).toMatchObject({ status: 'rejected', reason: { code: 'slow' } });
  expect(waited).toEqual({ status: 'fulfilled', value: 'B' });
  await offload.stop();
});

test('questions that take long one after the other are all answered, though the last waits longer than one may take', async () => {
  const offload = open({ timeoutMs: 2_000 });
  await offload.ask('a', 1, holder);
  const asked = Array.from({ length: 8 }, (_, index) => offload.ask(`slow${index}`, 1, holder));
  expect(await Promise.all(asked)).toEqual(asked.map((_, index) => `SLOW${index}`));
  await offload.stop();
});

test('a script that cannot be started fails the waiting questions, and is not started again and again', async () => {
  const errors: string[] = [];
  const options = { timeoutMs: 5_000, maxPending: 40, maxPendingBytes: 400 };
  const missing = createOffload(pathToFileURL(join(folder, 'missing.ts')), {
    ...options,
    onWorkerError: ({ message }) => errors.push(message),
  });
  const asked = await Promise.allSettled(['a', 'b'].map((question) => missing.ask(question, 1, holder)));
  expect(asked).toEqual(Array(2).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'broken' }) }));
  expect(errors).toHaveLength(1);
  await missing.stop();
});

test('the start of a worker does not count as time of its question', async () => {
  const slow = pathToFileURL(join(folder, 'slow-worker.ts'));
  await writeFile(
    slow,
    `await new Promise((resolve) => setTimeout(resolve, 1_500)); await import(${JSON.stringify(script)});`,
  );
  const offload = createOffload<string, string>(slow, { timeoutMs: 1_000, maxPending: 40, maxPendingBytes: 400 });
  expect(await offload.ask('a', 1, holder)).toBe('A');
  await expect(offload.ask('hang', 1, holder)).rejects.toMatchObject({ code: 'slow' });
  await offload.stop();
});

test('a worker that breaks says so, and the next question has a new one', async () => {
  const errors: string[] = [];
  const offload = open({ onWorkerError: ({ message }) => errors.push(message) });
  await expect(offload.ask('break', 1, holder)).rejects.toMatchObject({ code: 'broken' });
  expect(errors).toEqual(['broke']);
  expect(await offload.ask('b', 1, holder)).toBe('B');
  await offload.stop();
});

test('a question at which a worker fails takes no other with it', async () => {
  const errors: string[] = [];
  const offload = open({ onWorkerError: ({ message }) => errors.push(message) });
  const [failed, answered] = await Promise.allSettled(
    ['throw', 'a'].map((question) => offload.ask(question, 1, holder)),
  );
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'broken' } });
  expect(answered).toEqual({ status: 'fulfilled', value: 'A' });
  expect(errors).toEqual(['Error: thrown']);
  await offload.stop();
});

test('a question waits for one that runs, and not for those that another agent has piled up', async () => {
  const offload = open();
  await offload.ask('a', 1, holder);
  let answered = 0;
  const piled = Array.from({ length: 8 }, (_, index) =>
    offload.ask(`slow${index}`, 1, holder).then(() => {
      answered += 1;
    }),
  );
  expect(await offload.ask('b', 1, other)).toBe('B');
  expect(answered).toBeLessThanOrEqual(1);
  await Promise.all(piled);
  await offload.stop();
});

test('with two workers an agent that holds one up for long leaves the other to the rest', async () => {
  const offload = open({ workers: 2, timeoutMs: 60_000 });
  await offload.ask('a', 1, holder);
  const held = Promise.allSettled([1, 2].map(() => offload.ask('spin', 1, holder)));
  expect(await Promise.all([1, 2, 3].map(() => offload.ask('b', 1, other)))).toEqual(['B', 'B', 'B']);
  await offload.stop();
  expect((await held).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('an agent that asks for more than its share is refused, and another is not', async () => {
  const offload = open({ maxPending: 8 });
  const asked = await Promise.allSettled(
    Array.from({ length: 8 }, () => offload.ask('a', 1, holder)).concat(offload.ask('b', 1, other)),
  );
  expect(asked.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  expect(asked.at(-1)).toEqual({ status: 'fulfilled', value: 'B' });
  await offload.stop();
});

test('more than may wait, by number or by size, is refused at once; what ended makes room', async () => {
  const offload = open({ maxPending: 8 });
  const first = offload.ask('a', 99, holder);
  const second = offload.ask('b', 1, holder);
  await expect(offload.ask('c', 0, holder)).rejects.toMatchObject({ code: 'busy' });
  expect(await Promise.all([first, second])).toEqual(['A', 'B']);
  const waiting = offload.ask('hang', 2, holder);
  waiting.catch(() => {});
  await expect(offload.ask('c', 99, holder)).rejects.toMatchObject({ code: 'busy' });
  await offload.stop();
  await expect(waiting).rejects.toMatchObject({ code: 'broken' });
  await expect(offload.ask('c', 1, holder)).rejects.toMatchObject({ code: 'busy' });
});
