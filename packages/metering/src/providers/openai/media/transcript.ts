import { makeUsage, readCount, type Usage } from '@agp/pricing';
import { asName, asObject, asText } from '../../../json/json-shapes.ts';
import { collectText } from '../../collect-text.ts';
import type { Write, Writing } from '../../operation.ts';
import { asFigure } from '../as-figure.ts';
import { readTokenUsage } from '../usage.ts';

/** A cue's timing in SRT or WebVTT, with its end. */
const timing = /^(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3} --> (?:(\d{1,4}):)?(\d{1,2}):(\d{2}[.,]\d{3})/;

/** Subtitles have timings; the end of the last one is nearly the end of the audio. */
function readLength(transcript: string): number | null {
  const last = transcript
    .slice(-8_192)
    .split(/\r?\n/)
    .map((line) => timing.exec(line))
    .findLast((found) => found !== null);
  if (!last) return null;
  return Number(last[1] ?? 0) * 3_600 + Number(last[2]) * 60 + Number(last[3]?.replace(',', '.'));
}

/**
 * Tokens or seconds as the provider bills them, else the length of the audio from a verbose answer or from subtitles.
 */
export function readTranscriptUsage(answer: unknown): Usage | null {
  const { usage, duration } = asObject(answer);
  const told = typeof answer === 'string' ? readLength(answer) : asFigure(duration);
  // Less than half a second is a length too, not the lack of one.
  const seconds = typeof told === 'number' && told > 0 ? Math.max(1, told) : told;
  return readTokenUsage(usage) ?? (readCount(seconds) === null ? null : makeUsage({ inputAudioSeconds: seconds }));
}

/** The spoken text, from JSON, plain text or subtitles. Segments and words repeat it. */
export function readTranscript(answer: unknown): Writing {
  if (typeof answer !== 'string') return collectText(asObject(answer).text);
  if (!answer.includes(' --> ')) return collectText(answer);
  const spoken = answer
    .split(/\r?\n/)
    .filter((line) => line !== '' && line !== 'WEBVTT' && !/^\d{1,8}$/.test(line) && !timing.test(line));
  return collectText(spoken.join(' '));
}

/** Writes the text of a transcript's events: deltas, segments of speakers, and the end if nothing came before it. */
export function createTranscriptEventReader(): (frame: unknown, write: Write) => void {
  let wrote = false;
  return (frame, write) => {
    const { type, delta, text, id, segment_id: segment } = asObject(frame);
    if (type === 'transcript.text.delta') write(asName(segment ?? ''), asText(delta) ?? '');
    else if (type === 'transcript.text.segment') write(`segment ${asName(id)}`, asText(text) ?? '');
    else if (type === 'transcript.text.done' && !wrote) write('', asText(text) ?? '');
    else return;
    wrote = true;
  };
}
