// Answers checks of policies (docs/checks.md) with what Presidio's analyzer finds. Node 20 or later, without dependencies:
//   CHECK_SECRET=whsec_... PRESIDIO_URL=http://127.0.0.1:5002 node presidio-adapter.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

const { CHECK_SECRET = '', PRESIDIO_URL = 'http://127.0.0.1:5002', LANGUAGE = 'en', MIN_SCORE = '0.5' } = env;
const { ACTION = 'redact', HOST = '127.0.0.1', PORT = '8096' } = env;
const key = Buffer.from(CHECK_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length < 24) throw new Error('CHECK_SECRET: must be that of the proxies');

const maxBody = 4 * 1024 * 1024;
const atOnce = 8;
const oldest = 300;

function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  const isNow = Math.abs(Date.now() / 1_000 - Number(at)) <= oldest;
  const expected = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest();
  const isOurs = (signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return isNow && signatures.split(' ').some(isOurs);
}

async function analyze({ id, text }, signal) {
  if (text.trim() === '') return [];
  const answer = await fetch(`${PRESIDIO_URL}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, language: LANGUAGE, score_threshold: Number(MIN_SCORE) }),
    signal,
  });
  if (!answer.ok) throw new Error(`Presidio answers HTTP ${answer.status}`);
  // Python counts characters, a check UTF-16 units: the emoji in "😀 a@b.example" is one, and two.
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return withoutOverlaps(await answer.json()).map(({ entity_type: type, start, end }) => ({
    ...{ id, start: units[start], end: units[end] },
    kind: type.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_'),
  }));
}

/** Presidio finds the host of an address as a URL, too: the surest counts, of equally sure ones the longest. */
function withoutOverlaps(found) {
  const kept = [];
  found.sort((one, other) => other.score - one.score || other.end - other.start - (one.end - one.start));
  for (const each of found) if (kept.every(({ start, end }) => each.end <= start || end <= each.start)) kept.push(each);
  return kept;
}

async function analyzeAll(texts) {
  const findings = [];
  const waiting = texts.values();
  const signal = AbortSignal.timeout(10_000);
  const work = async () => {
    for (const text of waiting) findings.push(...(await analyze(text, signal)));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return findings;
}

async function answer(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBody) return [413, {}];
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isSigned(request.headers, body)) return [401, {}];
  const findings = await analyzeAll(JSON.parse(body).texts);
  return [200, { action: findings.length > 0 ? ACTION : 'allow', findings }];
}

const server = createServer((request, response) => {
  void answer(request)
    .catch((error) => [502, { error: error.message }])
    .then(([status, said]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said)),
    );
});
server.listen(Number(PORT), HOST);
