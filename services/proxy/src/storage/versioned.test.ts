import { expect, test } from 'vitest';
import { Versioned } from './versioned.ts';

const makeStore = (version: number, content: string) => {
  const stored = { version, content, reads: 0 };
  const held = new Versioned<string, { version: number; content: string }>({
    async read() {
      stored.reads += 1;
      const { version: now, content: all } = stored;
      return { version: now, rows: [all] };
    },
    prepare({ version: now, rows: [all = ''] }) {
      if (all === 'later') throw new Error('of a later version');
      return { version: now, content: all };
    },
    onUnreadable: () => {},
  });
  return { stored, held };
};

test('what is held is read once a version, also if a failover has taken the version back, and is what was read last', async () => {
  const { stored, held } = makeStore(5, 'lost');
  expect(await held.at(5, 0)).toEqual({ version: 5, content: 'lost' });
  Object.assign(stored, { version: 4, content: 'before' });
  for (let asked = 0; asked < 10; asked += 1) expect(await held.at(4, 0)).toEqual({ version: 4, content: 'before' });
  expect(stored.reads).toBe(2);
  expect(held.held?.version).toBe(4);
  Object.assign(stored, { version: 5, content: 'now' });
  expect(await held.at(5, 0)).toEqual({ version: 5, content: 'now' });
});

test('a read that began earlier and ends later does not take the place of what was read since', async () => {
  const ends: ((version: number) => void)[] = [];
  const held = new Versioned<number, { version: number }>({
    read: () => new Promise((resolve) => ends.push((version) => resolve({ version, rows: [] }))),
    prepare: ({ version }) => ({ version }),
    onUnreadable: () => {},
  });
  const [first, second] = [held.at(1, 0), held.at(2, 0)];
  ends[1]?.(2);
  expect(await second).toEqual({ version: 2 });
  ends[0]?.(1);
  expect(await first).toEqual({ version: 1 });
  expect(held.held).toEqual({ version: 2 });
});

test('what this proxy cannot read refuses requests', async () => {
  const { held } = makeStore(1, 'later');
  await expect(held.at(1, 0)).rejects.toMatchObject({ code: 'status_unavailable' });
  expect(held.held).toBeNull();
});
