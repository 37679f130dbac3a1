import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { media as ofClaude } from '../anthropic/pictures.ts';
import type { MediaPart, MediaRules } from '../media.ts';

/** Base64 of a block's source; null for what lies in S3. */
const readBytes = (block: JsonObject) => asText(asObject(block.source).bytes);

/** A block of Converse is named by its only member. What a page costs is known of Claude alone. */
function find(part: JsonObject): MediaPart | null {
  if (part.image !== undefined) return { kind: 'picture', data: readBytes(asObject(part.image)) };
  const document = asObject(part.document);
  const data = readBytes(document);
  return document.format === 'pdf' && data !== null ? { kind: 'pages', data } : null;
}

export const media: MediaRules = { ...ofClaude, find };
