import { gzipSync } from 'node:zlib';
import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import type { Operation } from '../dialects/operation.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import type { ResponseReading } from './reading.ts';

const transcriptions = findOperation('/v1/audio/transcriptions');
const speech = findOperation('/v1/audio/speech');
const chat = findOperation('/v1/chat/completions');

async function tap(from: Operation, type: string, chunks: readonly Buffer[], encoding = ''): Promise<ResponseReading> {
  const response = openAnswerPipe(from, { 'content-type': type, 'content-encoding': encoding });
  for (const chunk of chunks) response.push(chunk);
  return response.read();
}

const subtitles = Buffer.from('1\n00:00:00,000 --> 00:01:04,700\nGrüße\n');

describe('answers in plain text', () => {
  test.each(['text/plain; charset=utf-8', 'text/vtt', 'application/x-subrip'])('as %s are read whole', async (type) => {
    const bytes = [...subtitles].map((byte) => Buffer.from([byte]));
    const reading = await tap(transcriptions, type, bytes);
    // The last subtitle's end is near the audio's, but not what the provider billed.
    expect(reading).toMatchObject({
      usage: makeUsage({ inputAudioSeconds: 65 }),
      usageIsFinal: false,
      inspected: true,
    });
    expect(reading.output()).toEqual({ parts: ['Grüße'], whole: true });
  });

  test('are decoded', async () => {
    const reading = await tap(transcriptions, 'text/plain', [gzipSync(subtitles)], 'gzip');
    expect(reading.output()).toEqual({ parts: ['Grüße'], whole: true });
  });

  test('are cut where they are too long', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'a b ');
    const reading = await tap(transcriptions, 'text/plain', Array<Buffer>(9).fill(mebibyte));
    expect(reading.output()).toMatchObject({ whole: false });
  });

  test.each([
    [chat, 'text/plain'],
    [transcriptions, 'text/html'],
    [speech, 'text/html'],
    [chat, 'audio/mpeg'],
  ])('are not read where they are not expected: %#', async (from, type) => {
    const reading = await tap(from, type, [subtitles]);
    expect(reading).toMatchObject({ usage: null, inspected: false });
    expect(reading.output()).toEqual({ parts: [], whole: false });
  });
});

test.each(['audio/mpeg', 'application/octet-stream'])('there is no text in %s', async (type) => {
  const reading = await tap(speech, type, [Buffer.from([1, 2, 3])]);
  expect(reading).toMatchObject({ usage: null, usageIsFinal: false, sawEnd: false, failed: false, inspected: true });
  expect(reading.output()).toEqual({ parts: [], whole: true });
});
