import type { JsonObject } from '../json/members.ts';
import type { Pixels } from '../media/pixels.ts';

/** A part of a conversation that costs by its size in pixels, its pages or its seconds, and not by its bytes. */
export interface MediaPart {
  kind: 'picture' | 'pages' | 'sound' | 'video';
  /** Its Base64; null for one that the provider fetches. */
  data: string | null;
  /** How exactly the request wants it read. */
  detail?: string | null | undefined;
}

/** What a vendor charges for pictures, pages and seconds, in tokens of input, as it publishes. */
export interface MediaRules {
  find(part: JsonObject): MediaPart | null;
  /** @param pixels null if they are not known: the most that a picture may cost */
  countPicture(model: string, pixels: Pixels | null, detail: string | null): number;
  /** A page of a PDF, as dear as its text and its picture may be. */
  countPage(model: string, detail: string | null): number;
  secondOfSound: number;
  secondOfVideo: number;
}

/** The text of a dense page: Anthropic says 1,500 to 3,000, and the others nothing. */
export const tokensOfPageText = 3_000;

/** Base64 of a data URL, or of none; null for another address. @param kinds beginnings of types that count */
export function readDataUrl(url: string | null, kinds: readonly string[] = ['']): string | null {
  if (url === null || !url.startsWith('data:')) return null;
  const comma = url.indexOf(',', 5);
  const head = comma < 0 || comma > 256 ? '' : url.slice(5, comma);
  return head.endsWith('base64') && kinds.some((kind) => head.startsWith(kind)) ? url.slice(comma + 1) : null;
}
