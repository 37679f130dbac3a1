import { crc32 } from 'node:zlib';
import type { PiiType } from '../pii-types.ts';
import { hasWordNear } from '../text/characters.ts';
import { isPlaceholder, looksRandom } from './looks-random.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base62 of the CRC-32 of the characters before. */
export function tokenChecksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * GitHub's format of 2021, which npm has too: four characters, 30 of the secret, six of the checksum
 * (github.blog/2021-04-05-behind-githubs-new-authentication-token-formats).
 */
export function hasTokenChecksum(token: string): boolean {
  return token.slice(-6) === tokenChecksum(token.slice(4, -6));
}

export interface KeyFormat {
  type: PiiType;
  prefix: string;
  /** Sticky; if the length is fixed, the pattern excludes longer words. */
  rest: RegExp;
  accepts(text: string, start: number, end: number): boolean;
}

const isRandom: KeyFormat['accepts'] = (text, start, end) => looksRandom(text.slice(start, end));
const isNoPlaceholder: KeyFormat['accepts'] = (text, start, end) => !isPlaceholder(text.slice(start, end));
const hasChecksum: KeyFormat['accepts'] = (text, start, end) => hasTokenChecksum(text.slice(start, end));

function apiKey(prefix: string, rest: RegExp, accepts = isRandom): KeyFormat {
  return { type: 'api_key', prefix, rest, accepts };
}

const isOfTelegramBot: KeyFormat['accepts'] = (text, start, end) =>
  /(?:^|\D)\d{8,10}:$/.test(text.slice(Math.max(0, start - 12), start)) && isRandom(text, start, end);

const isOfTwilio: KeyFormat['accepts'] = (text, start, end) =>
  hasWordNear(text, start, end, /twilio/i, 100, 100) && isRandom(text, start, end);

export const keyFormats: readonly KeyFormat[] = [
  // OpenAI (`sk-proj-`, `sk-svcacct-` ...), Anthropic (`sk-ant-`), OpenRouter (`sk-or-v1-`), DeepSeek, LiteLLM, Langfuse.
  apiKey('sk-', /[\w-]{20,300}/y),
  // Google: API keys, keys of service accounts, OAuth client secrets and access tokens.
  apiKey('AIza', /[\w-]{35}(?![\w-])/y),
  apiKey('AQ.Ab', /[\w-]{40,100}/y),
  apiKey('GOCSPX-', /[\w-]{28}(?![\w-])/y),
  apiKey('ya29.', /[\w-]{40,300}/y),
  // Groq, xAI, Perplexity, Replicate, Hugging Face (letters only), Cerebras, Tavily.
  apiKey('gsk_', /[A-Za-z0-9]{40,80}(?!\w)/y),
  apiKey('xai-', /[A-Za-z0-9]{60,100}(?!\w)/y),
  apiKey('pplx-', /[A-Za-z0-9]{40,80}(?!\w)/y),
  apiKey('r8_', /[A-Za-z0-9]{37}(?!\w)/y),
  apiKey('hf_', /[A-Za-z0-9]{34,40}(?!\w)/y),
  apiKey('csk-', /[a-z0-9]{40,60}(?!\w)/y),
  apiKey('tvly-', /[\w-]{28,60}/y),
  // This product's own.
  apiKey('ag', /[pmls]_[\w-]{32,64}(?![\w-])/y),
  // Stripe, Slack, SendGrid, Twilio, Telegram, Shopify.
  apiKey('sk_', /(?:live|test)_[A-Za-z0-9]{20,250}(?!\w)/y),
  apiKey('rk_', /(?:live|test)_[A-Za-z0-9]{20,250}(?!\w)/y),
  apiKey('whsec_', /[A-Za-z0-9+/]{32,64}={0,2}/y),
  apiKey('xox', /[abeoprs]-[A-Za-z0-9-]{20,250}(?!\w)/y),
  apiKey('xapp-', /\d-[A-Z0-9]{8,12}-\d{10,14}-[a-f0-9]{64}(?!\w)/y),
  apiKey('SG.', /[\w-]{22}\.[\w-]{43}(?![\w-])/y),
  apiKey('SK', /[0-9a-f]{32}(?!\w)/y, isOfTwilio),
  apiKey('AA', /[\w-]{33}(?![\w-])/y, isOfTelegramBot),
  apiKey('shp', /(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?!\w)/y),
  // npm, PyPI, GitLab, Docker, DigitalOcean, Databricks, Vault, Supabase, Azure storage and service bus.
  apiKey('npm_', /[A-Za-z0-9]{36}(?!\w)/y, hasChecksum),
  apiKey('pypi-AgE', /[\w-]{50,300}/y, isNoPlaceholder),
  apiKey('gl', /(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent)-[\w-]{20,80}/y),
  apiKey('dckr_', /[op]at_[\w-]{27,40}/y),
  apiKey('do', /[opr]_v1_[a-f0-9]{64}(?!\w)/y),
  apiKey('dapi', /[a-f0-9]{32}(?!\w)/y),
  apiKey('hv', /[bs]\.[\w-]{24,300}/y),
  apiKey('sbp_', /[a-f0-9]{40}(?!\w)/y),
  apiKey('AccountKey=', /[A-Za-z0-9+/]{86}==/y),
  apiKey('SharedAccessKey=', /[A-Za-z0-9+/]{43}=/y),

  // Long-lived and temporary access key ids: base32, so without 0, 1, 8 and 9.
  { type: 'aws_key', prefix: 'A', rest: /(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])/y, accepts: isNoPlaceholder },
  { type: 'github_token', prefix: 'gh', rest: /[oprsu]_[A-Za-z0-9]{36}(?!\w)/y, accepts: hasChecksum },
  { type: 'github_token', prefix: 'github_pat_', rest: /[A-Za-z0-9]{22}_[A-Za-z0-9]{59}(?!\w)/y, accepts: isRandom },
  { type: 'private_key', prefix: 'AGE-SECRET-KEY-1', rest: /[02-9AC-HJ-NP-Z]{58}(?!\w)/y, accepts: isNoPlaceholder },
];
