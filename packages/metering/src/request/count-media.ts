import type { Usage } from '@agp/catalogue';
import { findRule, type RequestBounds } from '../dialects/bounds.ts';
import type { MediaPart, MediaRules } from '../dialects/media.ts';
import { asObject, isTooPopulated, type JsonObject, tryParse } from '../json/members.ts';
import { countPages, readSeconds } from '../media/lengths.ts';
import { type Pixels, readPixels } from '../media/pixels.ts';
import { opaqueKeys } from './find-unsized.ts';

/** A larger body of so many values is not read for its pictures. */
const maxCommas = 100_000;

/** Of one request; no provider takes more. */
const maxParts = 4_000;

/** Characters of Base64 in which a picture's size stands, behind what cameras put before it. */
const headLength = 256 * 1_024;

/** Bytes a second of the slowest sound and video in use, and pages of a file that tells none: what a provider reads at the most. */
const slowest = { sound: 2_000, video: 12_500 };
const mostPages = 100;

export interface Media {
  /** Of the body, which are no text. */
  bytes: number;
  /** What a model counts for all of it, in tokens of input. */
  count(model: string): Pick<Usage, 'promptTokens' | 'inputImageTokens' | 'inputAudioTokens' | 'inputVideoTokens'>;
}

function listParts(content: unknown, { find }: MediaRules): MediaPart[] {
  const found: MediaPart[] = [];
  const stack = [content];
  while (stack.length > 0 && found.length < maxParts) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push(item);
      continue;
    }
    const part = find(value as JsonObject);
    if (part) found.push(part);
    else for (const key in value) if (!opaqueKeys.has(key)) stack.push((value as JsonObject)[key]);
  }
  return found;
}

const decode = (data: string) => Buffer.from(data, 'base64');

interface Measured extends Omit<MediaPart, 'data'> {
  /** Of Base64. */
  size: number;
  pixels: Pixels | null;
  /** Pages or seconds. */
  length: number;
}

function measure({ kind, detail, data }: MediaPart): Measured {
  const part = { kind, detail, size: data?.length ?? 0, pixels: null, length: 1 };
  if (data === null) return part;
  if (kind === 'picture') return { ...part, pixels: readPixels(decode(data.slice(0, headLength))) };
  const bytes = decode(data);
  if (kind === 'pages') return { ...part, length: countPages(bytes) ?? mostPages };
  return { ...part, length: readSeconds(bytes) ?? bytes.length / slowest[kind] };
}

/** Pictures, pages, sound and video of a request, as they were measured. */
export type MeasuredMedia = readonly Measured[];

/** Those of a request, which make it large and cost few tokens; null if it has none. */
export function findMedia(bytes: Buffer, parsed: unknown, bounds: RequestBounds | undefined): MeasuredMedia | null {
  const rules = bounds?.media;
  if (bounds === undefined || rules === undefined) return null;
  const body = asObject(parsed ?? (isTooPopulated(bytes, maxCommas) ? undefined : tryParse(bytes)));
  const parts: Measured[] = [];
  for (const key in body) {
    const rule = findRule(bounds.members, key, bounds.isEitherCase);
    if (rule === 'content' || rule === 'items')
      for (const part of listParts(body[key], rules)) parts.push(measure(part));
  }
  return parts.length === 0 ? null : parts;
}

/** What they cost. */
export function openMedia(parts: MeasuredMedia, rules: MediaRules): Media {
  return {
    bytes: parts.reduce((sum, { size }) => sum + size, 0),
    count(model) {
      const sums = { picture: 0, pages: 0, sound: 0, video: 0 };
      for (const { kind, pixels, length, detail = null } of parts) {
        const each = {
          picture: () => rules.countPicture(model, pixels, detail),
          pages: () => rules.countPage(model, detail),
          sound: () => rules.secondOfSound,
          video: () => rules.secondOfVideo,
        }[kind]();
        sums[kind] += Math.ceil(each * length);
      }
      return {
        promptTokens: sums.picture + sums.pages + sums.sound + sums.video,
        ...{ inputImageTokens: sums.picture, inputAudioTokens: sums.sound, inputVideoTokens: sums.video },
      };
    },
  };
}
