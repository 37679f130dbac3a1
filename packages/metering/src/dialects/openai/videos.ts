import { makeUsage, maxTokens, readCount, type Usage } from '@agp/catalogue';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { asFigure, readFigures } from '../figures.ts';
import { describeOperation, type Figures } from './describe-operation.ts';
import { noOutput } from './stream.ts';
import { usageTable } from './usage.ts';

/** Seconds of video, under the names of OpenAI, Azure and xAI. */
function countSeconds({ seconds, n_seconds: each, duration, n_variants: variants, n }: JsonObject): number | null {
  const length = readCount(asFigure(seconds ?? each ?? duration));
  return length && Math.min(length * (readCount(asFigure(variants ?? n)) || 1), maxTokens);
}

/** The tier by the shorter side; null for the standard one. */
function readResolution({ size, resolution, width, height }: JsonObject): string | null {
  const sides = width && height ? `${width}x${height}` : (asText(size) ?? asText(resolution) ?? '');
  const [, one, other] = /^(\d{2,5})x(\d{2,5})$/.exec(sides) ?? [];
  const found = one && other ? `${Math.min(Number(one), Number(other))}p` : sides.toLowerCase();
  return /^\d{1,5}[pk]$/.test(found) && found !== '720p' ? found : null;
}

/** The longest that a video is made unless the request says so. */
const unsaidSeconds = 8;

function readVideoFigures(value: unknown): Figures {
  const answer = asObject(value);
  const seconds = countSeconds(answer);
  if (answer.status === 'failed') return { usage: null, isUnbilled: true };
  const tier = readResolution(answer);
  const usage = seconds ? makeUsage({ outputVideoSeconds: seconds }) : null;
  return { usage, ...(tier && { serviceTier: tier }), ...readFigures(answer.usage, usageTable).notes };
}

/** A job that makes a video, billed by the second once it is taken on. */
export const videos = describeOperation({
  name: 'videos',
  ...noOutput,
  input: ['prompt'],
  readToldUsage: (body): Partial<Usage> => ({ outputVideoSeconds: countSeconds(body) || unsaidSeconds }),
  readPriceTier: readResolution,
  readFigures: readVideoFigures,
});

export const videosTarget =
  /\/(?:videos(?:\/(?:generations|edits|extensions|[^/]+\/remix))?|video\/generations(?:\/jobs)?)$/;
