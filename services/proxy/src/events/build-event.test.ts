import { eventMessageSchema } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { type Measurement, unmeasured } from '@agp/metering';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AdmittedRequest, type Answer, noTimes } from '../journey.ts';
import { buildEvent, fitMeasurement } from './build-event.ts';

const uuid = '019aa7b5-8c00-7000-8000-000000000000';
const timestamp = 0x019aa7b58c00;

const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, -0, 1e300, 2 ** 53, Number.MAX_SAFE_INTEGER, 0.5, 1e12 + 1),
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('', '\0', '\ud800', '😀'.repeat(2_000), 'x'.repeat(100_000)),
);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const outcome = fc.constantFrom('completed', 'aborted', 'failed', 'killed') as fc.Arbitrary<Answer['outcome']>;

const anyTools = fc.array(
  fc.record({
    kind: fc.constant('client' as const),
    names: fc.array(anyText.filter(Boolean), { minLength: 1, maxLength: 6 }),
  }),
  { maxLength: 150 },
);
const anyDecisions = fc.array(
  fc.constant({ policy: 'interns', version: 1, rule: 'models', action: 'observe' as const }),
  { maxLength: 30 },
);
const anyNames = fc.record({ models: orNull(fc.array(anyText, { maxLength: 30 })), tools: orNull(anyTools) });

const anyRequest = fc
  .record({
    method: anyText,
    path: anyText,
    sourceIp: anyText,
    model: orNull(anyText),
    names: anyNames,
    metadata: fc.dictionary(anyText, fc.jsonValue()),
    output: orNull(anyNumber),
  })
  .map(
    ({ method, path, sourceIp, model, names, metadata, output }) =>
      ({
        head: {
          eventId: toPublicId('evt', uuid),
          requestEventId: null,
          timestamp,
          method,
          path,
          sentPath: path,
          sourceIp,
          provider: { id: 'openai', api: 'openai', geo: null, baseUrl: new URL('https://api.openai.com') },
          operation: null,
          hasBody: true,
        },
        agent: { id: toPublicId('agt', uuid) },
        admission: { complianceTag: 'default', sessionId: 'ses_a', rules: null, metadata },
        sessionId: 'ses_a',
        body: {
          inspected: { requestedModel: model, names, maxOutputTokens: output, bytes: Buffer.alloc(7) },
          sha256: () => 'a'.repeat(64),
        },
        governed: { facts: null, decisions: [], warnings: [], forwardedSha256: null },
        reservation: { nanoUsd: 1 },
      }) as unknown as AdmittedRequest,
  );

const anyAnswer = fc
  .record({
    status: orNull(anyNumber),
    providerRequestId: orNull(anyText),
    firstByteMs: orNull(anyNumber),
    durationMs: anyNumber,
    outcome,
  })
  .map(
    (given): Answer => ({
      sent: true,
      failure: null,
      egress: null,
      denied: null,
      found: null,
      cause: null,
      streamed: false,
      sha256: null,
      times: noTimes,
      ...given,
    }),
  );

const anyMeasurement = fc
  .record({
    model: orNull(anyText),
    promptTokens: anyNumber,
    completionTokens: anyNumber,
    costNanoUsd: anyNumber,
    priceVersion: orNull(anyText),
    piiTypes: fc.array(anyText, { maxLength: 100 }),
    piiFindings: fc.array(fc.constant({ in: 'request', message: 1, type: 'email' }), { maxLength: 150 }),
    usageSource: fc.constantFrom('provider', 'estimated', 'none'),
    outcome,
    called: anyTools,
  })
  .map((given) => ({ ...unmeasured, ...given }) as unknown as Measurement);

test('whatever a provider claims and an agent sends, the event is one that the writer takes', () => {
  fc.assert(
    fc.property(anyRequest, anyAnswer, anyMeasurement, anyDecisions, (request, answer, measured, decisions) => {
      const stamp = { producer: 'prx_a', producer_seq: 1 };
      const sent = JSON.parse(JSON.stringify(buildEvent(request, stamp, answer, measured, decisions)));
      expect(eventMessageSchema.safeParse(sent).error).toBeUndefined();
      // A hundred thousand such events of a day, or of a session, are still within bigint.
      expect(BigInt(sent.total_tokens) * 100_000n).toBeLessThan(2n ** 63n);
    }),
    { numRuns: 200 },
  );
});

test('figures that had to be changed are doubted, and all others are left as they are', () => {
  const plain: Measurement = { ...unmeasured, promptTokens: 3, costNanoUsd: 5, outcome: 'completed' };
  expect(fitMeasurement(plain)).toBe(plain);
  expect(fitMeasurement({ ...plain, promptTokens: 1e15, costNanoUsd: -1 })).toMatchObject({
    promptTokens: 1e12,
    costNanoUsd: 0,
    doubt: { reason: 'out_of_range', promptTokens: 1e15 },
  });
});
