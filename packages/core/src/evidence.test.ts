import { expect, test } from 'vitest';
import { type EvidenceApi, evidenceRangeSchema, gatherEvidence, tellEvidence } from './evidence.ts';

const month = { from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' };
const agents = [{ id: 'agt_1', name: 'one' }];
const eventOf = (session_id: string) => ({ id: `evt_${session_id}`, session_id, cost_usd: 0.5, model: '=1+1' });

class Missing extends Error {
  readonly status = 404;
}

interface Played {
  /** Sessions of the events on each page. */
  pages: readonly string[][];
  keptSince?: string;
  /** Id and end of each session in the list; null if there is none. */
  sessions?: readonly (readonly [id: string, ended_at: string])[] | null;
  removed?: number;
}

/** Plays the API, and counts how many chains it is asked for at once. */
function play({ pages, keptSince, sessions = [], removed = 0 }: Played) {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  async function answer(path: string, query: object): Promise<{ data: unknown; next?: string }> {
    asked.push(path + (path.endsWith('sessions') ? JSON.stringify(query) : ''));
    if (path.startsWith('/api/v1/events')) {
      const page = Number(path.split('?page=')[1] ?? 0);
      const next = page + 1 < pages.length && { next: `/api/v1/events?page=${page + 1}` };
      return { data: pages[page]?.map(eventOf) ?? [], ...next };
    }
    if (path === '/api/v1/sessions') {
      if (sessions === null) throw new Missing('route not found');
      return { data: sessions.map(([id, ended_at]) => ({ id, ended_at })) };
    }
    if (path.endsWith('ses_broken')) throw new Error('broken off');
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, path.endsWith('ses_0') ? 20 : 1));
    open -= 1;
    return { data: { removed: removed > 0 ? [{ first_seq: 0, last_seq: removed - 1 }] : [] } };
  }
  const api: EvidenceApi = {
    async get<Data>(path: string, _: unknown, query = {}) {
      const { data, next = null } = await answer(path, query);
      return { data: data as Data, text: `text of ${path}`, next, keptSince: keptSince ?? null };
    },
  };
  return { api, asked, most: () => most };
}

/** The files as they end up, and what was told last. */
async function gather(
  { api }: ReturnType<typeof play>,
  of = { agents, ...month } as Parameters<typeof gatherEvidence>[1],
) {
  const files: Record<string, string> = {};
  let told = '';
  for await (const { path, text, tally } of gatherEvidence(api, of, (name) => `script ${name}`)) {
    files[path] = (files[path] ?? '') + text;
    told = tellEvidence(tally);
  }
  return { files, told };
}

test('pages become one table, each session a file, and what checks them lies beside', async () => {
  const { files, told } = await gather(play({ pages: [['ses_0', 'ses_1'], ['ses_1']] }));
  expect(told).toBe('3 events of 2 sessions');
  expect(Object.keys(files)).toEqual([
    'events.csv',
    'sessions/ses_0.json',
    'sessions/ses_1.json',
    'evidence.json',
    'verify-lineage.mjs',
    'verify-evidence.mjs',
  ]);
  const lines = files['events.csv']?.split('\r\n') ?? [];
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^id,agent_id,session_id,.*,cost_usd,.*,lineage_hash$/);
  expect(lines[1]).toMatch(/^evt_ses_0,,ses_0,.*'=1\+1.*,0\.5,/);
  expect(files['sessions/ses_1.json']).toBe('text of /api/v1/lineage/ses_1\ntext of /api/v1/lineage/ses_1/removed\n');
  const index = { agents, ...month, kept_since: null, events: 3, sessions: ['ses_0', 'ses_1'] };
  expect(JSON.parse(files['evidence.json'] ?? '')).toEqual(index);
  expect(files['verify-evidence.mjs']).toBe('script verify-evidence.mjs');
});

test('a few chains are read at once, and stand in the order of their sessions; a fault ends it', async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `ses_${at}`);
  const played = play({ pages: [ids] });
  const { files } = await gather(played);
  expect(Object.keys(files).slice(1, 13)).toEqual(ids.map((id) => `sessions/${id}.json`));
  expect(played.most()).toBe(4);
  await expect(gather(play({ pages: [['ses_0', 'ses_broken', 'ses_2']] }))).rejects.toThrow('broken off');
});

test('sessions of which retention left a last hash alone are in it, where there is a list of them', async () => {
  const keptSince = '2026-10-12T00:00:00.000Z';
  const sessions = [
    ['ses_9', '2026-10-05T00:00:00.000Z'],
    ['ses_before', '2026-09-05T00:00:00.000Z'],
  ] as const;
  const played = play({ pages: [[]], keptSince, sessions, removed: 3 });
  const { files, told } = await gather(played);
  expect(told).toBe('0 events of 1 session; of these sessions retention removed 3 events for their age');
  expect(JSON.parse(files['evidence.json'] ?? '')).toMatchObject({ kept_since: keptSince, sessions: ['ses_9'] });
  expect(played.asked).toContain(
    `/api/v1/sessions${JSON.stringify({ agent_id: 'agt_1', to: keptSince, limit: 1000 })}`,
  );
  const base = await gather(play({ pages: [['ses_0']], keptSince, sessions: null, removed: 1 }));
  expect(base.told).toBe('1 event of 1 session; of these sessions retention removed 1 event for their age');
});

test('a session whose id would be another path ends it, and is named without control characters', async () => {
  for (const id of [
    '../../../home/auditor/.bashrc',
    'ses_/../x',
    'ses_a\u001b[2J',
    'ses_',
    `ses_${'a'.repeat(65)}`,
    'ses_a\n',
  ]) {
    const fault = await gather(play({ pages: [['ses_0', id]] })).catch((error: Error) => error.message);
    expect(fault).toMatch(/^the server names a session [^\p{Cc}]+, which is no id of one$/u);
    const listed = play({ pages: [[]], keptSince: month.to, sessions: [[id, month.from]] });
    await expect(gather(listed)).rejects.toThrow('which is no id of one');
  }
});

test('without an event there is no index, and nothing to check', async () => {
  const { files, told } = await gather(play({ pages: [[]] }), { agents: null, from: undefined, to: undefined });
  expect([Object.keys(files), told]).toEqual([['events.csv'], '0 events of 0 sessions']);
});

test('words for times become times that do not move, and a range that runs backwards is none', () => {
  expect(evidenceRangeSchema.parse({ from: '2026-10-01' })).toEqual({ from: month.from, to: undefined });
  expect(evidenceRangeSchema.parse({ from: '1d' }).from).toMatch(/^\d{4}-.*Z$/);
  expect(evidenceRangeSchema.safeParse({ from: month.to, to: month.from }).error?.issues).toMatchObject([
    { path: ['from'], message: 'must be earlier than to' },
  ]);
});
