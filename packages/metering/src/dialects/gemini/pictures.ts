import { asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { countSquares, fitLonger, type Pixels } from '../../media/pixels.ts';
import type { MediaPart, MediaRules } from '../media.ts';

/** Models that cut pictures into tiles; later ones read each by as many tokens as its resolution allows. */
const tiling = /gemini-(?:1|2)\b|gemini-(?:1|2)\./;

const tile = 258;

/** https://ai.google.dev/gemini-api/docs/media-resolution */
const byResolution: ReadonlyMap<string | null, number> = new Map([
  ['low', 280],
  ['medium', 560],
  ['high', 1_120],
  ['ultra_high', 2_240],
]);

const readDetail = (value: unknown) =>
  asName(asObject(value).level ?? value)
    .toLowerCase()
    .replace(/^media_resolution_/, '');

/** Tiles of 768 pixels at the most, of a picture that is made to fit into 3,072. */
function countTiles(pixels: Pixels): number {
  if (Math.max(pixels.width, pixels.height) <= 384) return 1;
  const fitted = fitLonger(pixels, 3_072);
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(fitted.width, fitted.height) / 1.5)));
  return countSquares(fitted, side);
}

const kinds = [
  ['image', 'picture'],
  ['application/pdf', 'pages'],
  ['document', 'pages'],
  ['audio', 'sound'],
  ['video', 'video'],
] as const;

/** `inlineData` or `fileData` of `generateContent`, or a part of an interaction. */
function find(part: JsonObject): MediaPart | null {
  const { inlineData, inline_data: inline = inlineData, fileData, file_data: file = fileData } = part;
  const isTyped = typeof part.type === 'string' && ('data' in part || 'uri' in part);
  const held = asObject(inline ?? file ?? (isTyped ? part : undefined));
  const named = asText(held.mimeType) ?? asText(held.mime_type) ?? (isTyped ? asName(part.type) : '');
  const kind = kinds.find(([begins]) => named.startsWith(begins))?.[1];
  const data = asText(held.data);
  // The length of what the provider fetches is not known.
  if (kind === undefined || (data === null && kind !== 'picture')) return null;
  const detail = readDetail(part.mediaResolution ?? part.media_resolution ?? part.resolution);
  return { kind, data, detail };
}

export const media: MediaRules = {
  find,
  countPicture: (model, pixels, detail) =>
    tiling.test(model) ? tile * (pixels === null ? 16 : countTiles(pixels)) : (byResolution.get(detail) ?? 1_120),
  countPage: (model, detail) => (tiling.test(model) ? tile : (byResolution.get(detail) ?? 560)),
  // https://ai.google.dev/gemini-api/docs/tokens; a frame a second, with its sound.
  secondOfSound: 32,
  secondOfVideo: 300,
};
