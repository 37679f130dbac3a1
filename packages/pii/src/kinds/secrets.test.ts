import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';
import { hasTokenChecksum, tokenChecksum } from './key-formats.ts';

const find = createPiiFinder();

/** The secrets found in a text, each as its type and what was found. */
function secretsIn(text: string): [string, string][] {
  return find(text).map(({ type, start, end }) => [type, text.slice(start, end)]);
}

const hex = '0123456789abcdef';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base64 = `${base62}+/`;
const base64Url = `${base62}-_`;

/** Digits that seem drawn by chance and are always the same. This file contains no secret that a scanner could find. */
function draw(alphabet: string, length: number, seed = 1): string {
  let state = seed;
  let text = '';
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet.charAt(Math.floor((state / 2 ** 32) * alphabet.length));
  }
  return text;
}

const withChecksum = (prefix: string, secret: string) => prefix + secret + tokenChecksum(secret);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const pem = (kind: string, body: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;

const header = encode({ alg: 'HS256', typ: 'JWT' });
const jwt = `${header}.${encode({ sub: '42' })}.${draw(base64Url, 43)}`;
const accessKeyId = `AKIA${draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`;

const keys: [issuer: string, type: string, key: string][] = [
  ['OpenAI, legacy', 'api_key', `sk-${draw(base62, 48)}`],
  ['OpenAI, project', 'api_key', `sk-proj-${draw(base64Url, 156)}`],
  ['OpenAI, service account', 'api_key', `sk-svcacct-${draw(base64Url, 156)}`],
  ['Anthropic', 'api_key', `sk-ant-api03-${draw(base64Url, 93)}AA`],
  ['OpenRouter', 'api_key', `sk-or-v1-${draw(hex, 64)}`],
  ['DeepSeek', 'api_key', `sk-${draw(hex, 32)}`],
  ['Google', 'api_key', `AIza${draw(base64Url, 35)}`],
  ['Groq', 'api_key', `gsk_${draw(base62, 52)}`],
  ['xAI', 'api_key', `xai-${draw(base62, 80)}`],
  ['Perplexity', 'api_key', `pplx-${draw(base62, 48)}`],
  ['Replicate', 'api_key', `r8_${draw(base62, 37)}`],
  ['Hugging Face', 'api_key', `hf_${draw(base62.slice(10), 34)}`],
  ['agents of this product', 'api_key', `agp_${draw(base64Url, 43)}`],
  ['operators of this product', 'api_key', `agm_${draw(base64Url, 43)}`],
  ['Stripe', 'api_key', `sk_live_${draw(base62, 24)}`],
  ['Stripe, restricted', 'api_key', `rk_live_${draw(base62, 99)}`],
  ['Slack', 'api_key', `xoxb-${draw('0123456789', 12)}-${draw('0123456789', 13)}-${draw(base62, 24)}`],
  ['SendGrid', 'api_key', `SG.${draw(base64Url, 22)}.${draw(base64Url, 43)}`],
  ['GitLab', 'api_key', `glpat-${draw(base62, 20)}`],
  ['npm', 'api_key', withChecksum('npm_', draw(base62, 30))],
  ['PyPI', 'api_key', `pypi-AgEIcHlwaS5vcmc${draw(base64Url, 150)}`],
  ['Azure storage', 'api_key', `AccountKey=${draw(base64, 86)}==`],
  ['AWS, key id', 'aws_key', accessKeyId],
  ['AWS, temporary key id', 'aws_key', `ASIA${draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`],
  ['GitHub', 'github_token', withChecksum('ghp_', draw(base62, 30))],
  ['GitHub, for an app', 'github_token', withChecksum('ghs_', draw(base62, 30, 9))],
  ['GitHub, fine-grained', 'github_token', `github_pat_${draw(base62, 22)}_${draw(base62, 59)}`],
  ['JWT', 'jwt', jwt],
  [
    'JWT, encrypted',
    'jwt',
    `${encode({ alg: 'dir', enc: 'A256GCM' })}..${draw(base64Url, 16)}.${draw(base64Url, 90)}.${draw(base64Url, 22)}`,
  ],
  ['JWT, unsigned', 'jwt', `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ sub: '42' })}.`],
  ['RSA key', 'private_key', pem('RSA PRIVATE KEY', `${draw(base64, 64)}\n${draw(base64, 64)}\n${draw(base64, 30)}==`)],
  ['PKCS #8 key in JSON', 'private_key', pem('PRIVATE KEY', draw(base64, 64)).replaceAll('\n', '\\n')],
  ['OpenSSH key', 'private_key', pem('OPENSSH PRIVATE KEY', draw(base64, 70))],
  ['age key', 'private_key', `AGE-SECRET-KEY-1${draw('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`],
];

describe('keys with a form', () => {
  test.each(keys)('%s', (_, type, key) => {
    const exactly = [[type, key]];
    expect(secretsIn(key)).toEqual(exactly);
    expect(secretsIn(`Use ${key}, please`)).toEqual(exactly);
    expect(secretsIn(`{"note":"line\\n${key}"}`)).toEqual(exactly);
    expect(secretsIn(`export KEY="${key}"\n`)).toEqual(exactly);
    expect(secretsIn(`钥匙${key}钥匙`)).toEqual(exactly);
  });

  test('a key that is part of a longer word is not found', () => {
    const key = `sk-${draw(base62, 48)}`;
    expect(secretsIn(`ri${key}`)).toEqual([]);
    expect(secretsIn(`AIza${draw(base64Url, 36)}`)).toEqual([]);
    expect(secretsIn(`${accessKeyId}A`)).toEqual([]);
    expect(secretsIn(`https://example.org/?key=${key}&page=2`)).toEqual([['api_key', key]]);
  });

  test.each([
    ['sk-...'],
    [`sk-${'x'.repeat(48)}`],
    ['sk-your-key-goes-here-1234'],
    ['sk-learn-compatible-estimators-v2-2024'],
    ['AKIAIOSFODNN7EXAMPLE'],
    [`${'AKIA'}EXAMPLE${draw('ABCDEF', 9)}`],
    [`github_pat_${'a'.repeat(22)}_${'b'.repeat(59)}`],
    [`${'AIza'}${'X'.repeat(35)}`],
    [`-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----`],
    [pem('PUBLIC KEY', draw(base64, 64))],
    [pem('CERTIFICATE', draw(base64, 64))],
    [`${encode({ alg: 'HS256' })}.${encode({ sub: '42' })}`],
    [`${encode({ foo: 'HS256' })}.${encode({ sub: '42' })}.${draw(base64Url, 43)}`],
    [`eyJ${draw(base64Url, 40)}.eyJ${draw(base64Url, 40)}.${draw(base64Url, 43)}`],
  ])('not a secret: %s', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });

  test('a block that is cut off or follows another is found', () => {
    const cut = `-----BEGIN RSA PRIVATE KEY-----\n${draw(base64, 64)}\n${draw(base64, 64)}\n${draw(base64, 9)}`;
    expect(secretsIn(cut)).toEqual([['private_key', cut]]);
    const whole = pem('EC PRIVATE KEY', draw(base64, 64));
    expect(secretsIn(`${cut}\n${whole}`)).toEqual([
      ['private_key', cut],
      ['private_key', whole],
    ]);
  });
});

describe('keys that need a word nearby', () => {
  const secret = draw(base64, 40, 3);
  const bot = `AA${draw(base64Url, 33)}`;
  const twilio = `SK${draw(hex, 32)}`;

  test.each([
    [`aws_secret_access_key = ${secret}`, 'aws_key', secret],
    [`"SecretAccessKey": "${secret}"`, 'aws_key', secret],
    [`AWS_SECRET_ACCESS_KEY=${secret}`, 'aws_key', secret],
    [`Twilio key ${twilio}`, 'api_key', twilio],
    [`bot 123456789:${bot}`, 'api_key', bot],
  ])('%s', (text, type, key) => {
    expect(secretsIn(text)).toContainEqual([type, key]);
  });

  test.each([[`digest ${secret}`], [`laws ${draw(hex, 40)}`], [`key ${twilio}`], [`see ${bot}`]])('not %s', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

describe('passwords and keys behind their name', () => {
  const key = draw(base62, 32);

  test.each([
    ['password: hunter2', 'password', 'hunter2'],
    ['"password": "Tr0ub4dor&3"', 'password', 'Tr0ub4dor&3'],
    ['{\\"passwd\\":\\"s3cr3t-Wort\\"}', 'password', 's3cr3t-Wort'],
    ['DB_PASSWORD=q7w8e9r0', 'password', 'q7w8e9r0'],
    ['My password is Sunflower42.', 'password', 'Sunflower42'],
    ['**Passwort:** Blume1980!', 'password', 'Blume1980'],
    ['contraseña: gato1234x', 'password', 'gato1234x'],
    ['pwd = "!secret!pa$$"', 'password', ''],
    [`api_key: "${key}"`, 'credential', key],
    [`client_secret=${key}&grant_type=x`, 'credential', key],
    [`Authorization: Bearer ${key}`, 'credential', key],
    [`"authorization":"Basic ${key}=="`, 'credential', `${key}==`],
  ])('%s', (text, type, value) => {
    expect(secretsIn(text)).toEqual(value ? [[type, value]] : []);
  });

  test.each([
    ['password: string;'],
    ['password: [REDACTED]'],
    ['password: str | None = None'],
    ['password = getPassword1()'],
    ['password=config.password'],
    ['password=$DB_PASSWORD1'],
    ['password: {{ vault.db1 }}'],
    ['"password": "Enter your password!"'],
    ['The password is required'],
    ['The password is case-sensitive'],
    ['password: ••••••••'],
    ['password: sha256 of the input'],
    ['bypass: cache-2024'],
    [`next_page_token: ${key}`],
    ['api_key: your-api-key-12345'],
    ['access_token=abcdefghijklmnop'],
  ])('not a secret: %s', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

describe('URLs with a password', () => {
  test.each([
    ['postgres://app:Zw8kQ1@db.internal:5432/app', 'app:Zw8kQ1'],
    ['amqp://worker:p%40ss9@[::1]/', 'worker:p%40ss9'],
    ['redis://:Zw8kQ1@cache:6379', ':Zw8kQ1'],
    ['git clone https://me:Zw8kQ1@git.example.org/a.git', 'me:Zw8kQ1'],
  ])('%s', (text, found) => {
    expect(secretsIn(text)).toContainEqual(['credential_url', found]);
  });

  test.each([
    ['postgres://postgres:postgres@localhost/app'],
    ['postgres://user:password@host/db'],
    ['https://$' + '{user}:$' + '{password}@host/'],
    ['https://<user>:<password>@host/'],
    ['http://localhost:8080/@scope'],
    ['https://medium.com/@someone/a:b@c'],
    ['https://user@host/'],
  ])('not a secret: %s', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

describe('the checksum of tokens', () => {
  test('agrees with a published token', () => {
    // A token that GitHub's announcement shows.
    expect(tokenChecksum('zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ')).toBe('0mLq17');
  });

  test('no token is found whose checksum is broken', () => {
    const digit = fc.constantFrom(...base62);
    const secret = fc.array(digit, { minLength: 30, maxLength: 30 }).map((digits) => digits.join(''));
    fc.assert(
      fc.property(secret, fc.integer({ min: 4, max: 39 }), digit, (drawn, at, other) => {
        const token = withChecksum('ghp_', drawn);
        expect(secretsIn(token)).toEqual([['github_token', token]]);
        const broken = token.slice(0, at) + other + token.slice(at + 1);
        fc.pre(broken !== token);
        expect(hasTokenChecksum(broken)).toBe(false);
        expect(secretsIn(broken)).toEqual([]);
      }),
    );
  });
});

test('a key is found anywhere in a text', () => {
  const key = fc.constantFrom(...keys.map(([, type, value]) => ({ type, value })));
  const around = fc.array(fc.constantFrom('a', 'word', ' ', '\n', '.', ', ', '=', '"', '\ud800', 'é', '://', '@', ':'));
  fc.assert(
    fc.property(around, key, around, (before, { type, value }, after) => {
      const text = `${before.join('')} ${value} ${after.join('')}`;
      const start = text.indexOf(value);
      expect(
        find(text).some((found) => found.type === type && found.start <= start && found.end >= start + value.length),
      ).toBe(true);
    }),
    { numRuns: 200 },
  );
});
