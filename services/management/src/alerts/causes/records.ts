import { countOf, formatCount } from '@agp/core/explain';
import { readLostSince, readRecordingState } from '@agp/db';
import { judgeWriter } from '../../reads/status-reader.ts';
import type { Cause, Finder } from './look.ts';

/** How long a lost event is told, in minutes. */
const lostMinutes = 60;

const why: Record<string, string> = {
  ended_without_record: 'its proxy ended before its event was safe',
  lost: 'more events waited than a proxy holds',
  set_aside: 'its event cannot be recorded as it is',
};

/** Writers that are behind, what was set aside, and what is missing. */
export const recordingFinder: Finder<'recording'> = {
  everyMs: 10_000,
  async find(look) {
    const state = await readRecordingState(look.db);
    const lost = await readLostSince(look.db, look.ago(lostMinutes));
    const { state: writer, detail } = judgeWriter(state);
    const causes: Cause<'recording'>[] = [];
    const add = (subject: string, title: string, more: string, path = '/') =>
      causes.push({ subject, path, facts: { title, detail: more } });
    if (writer === 'not_ready')
      add('writer', `recording is behind: ${detail}`, 'requests go on meanwhile, by what is reserved');
    if (state.quarantine_waiting > 0)
      add(
        'quarantine',
        `${countOf(state.quarantine_waiting, 'message')} set aside and not recorded`,
        'npm run quarantine lists them, npm run replay records them once they can be',
      );
    const count = lost.reduce((sum, each) => sum + each.count, 0);
    if (count > 0)
      add(
        'lost',
        `${countOf(count, 'request has', 'requests have')} no event`,
        lost.map((each) => `${formatCount(each.count)}: ${why[each.reason] ?? each.reason}`).join('; '),
        '/costs?view=unrecorded',
      );
    return causes;
  },
};
