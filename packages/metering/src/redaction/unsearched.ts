import { isMedia, isMediaMember } from '../text/strings.ts';
import { listWords, matchWords } from '../words/words.ts';
import type { Literal } from './holder.ts';

const vector = /^[\w+/-]{64,}={0,2}$/;

/** Base64 in a member for files or vectors holds no text, and a signature must stay as it is. */
export function isFile({ kind, key, holder }: Literal, value: string): boolean {
  if (kind !== 'string' || holder.isFree) return false;
  if (key === 'embedding') return vector.test(value);
  const isOfPicture = key === 'result' && holder.type === 'image_generation_call';
  return (isOfPicture || /b64|[bB]ase64/.test(key) || isMediaMember(key)) && isMedia(value);
}

const mediaHolders =
  /image|audio|video|file|document|media|upload|inline_?data|gcs|base64|invokeModel|bytes|s3Location/i;

export const tokenMembers = new Set(listWords('tokens'));
const files = matchWords('files');

/** Pictures, sound, files and tokens are not searched, wherever they lie. */
export function nameUnsearched({ kind, key, holder }: Literal, value: string): string | null {
  if (holder.isFree || kind === 'name') return null;
  if (kind === 'number') return tokenMembers.has(key) ? `the member "${key}", which is tokens` : null;
  const mayBeFile = isMediaMember(key) || files.test(key) || /b64|[bB]ase64/.test(key);
  if (!mayBeFile) return null;
  const around = `${holder.type} ${holder.name} ${holder.parent?.type ?? ''}`;
  const isText = holder.type === 'text';
  if (isText || !(isMedia(value) || value.startsWith('data:') || mediaHolders.test(`${around} ${key}`))) return null;
  return `the member "${key}", which is a picture, sound or a file`;
}
