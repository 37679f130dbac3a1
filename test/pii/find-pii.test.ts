import { createPersonNameDetector } from '@agp/metering/person-names';
import { createPiiFinder, piiTypes } from '@agp/pii';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runDetectors } from '../../packages/pii/src/detector.ts';
import { detectors } from '../../packages/pii/src/detectors.ts';

import { providerIds } from './hard-negatives.ts';
import { labelledSentences } from './labelled-sentences.ts';

const find = createPiiFinder({ personNames: createPersonNameDetector() });

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.stringMatching(/^[0-9 .()+-]{1,20}$/),
  fc.constantFrom(
    ...[
      'me@example.org',
      '4111 1111 1111 1111',
      'DE89370400440532013000',
      '+1 415 555 2671',
      '10.1.2.3',
      'phone ',
      '@',
    ],
    ...[
      'ssn 536-22-1234',
      'date of birth 04/05/1981',
      'AKIA',
      '-----BEGIN ',
      'eyJ',
      '0x',
      'bc1',
      '12 High Street',
      'Mr. ',
    ],
    ...['\ud800', '\udc00', '\0', 'é', '１', '\u2028', '::', '2001:db8::1'],
  ),
);
const anyText = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

test('findings lie within the text, in order, apart, and are of known types', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let end = 0;
      for (const finding of find(text)) {
        expect(finding.start).toBeGreaterThanOrEqual(end);
        expect(finding.end).toBeGreaterThan(finding.start);
        expect(piiTypes).toHaveProperty(finding.type);
        end = finding.end;
      }
      expect(end).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 100 },
  );
});

test('the same text gives the same findings, whatever was read before', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, other) => {
      const first = find(text);
      find(other);
      expect(find(text)).toEqual(first);
    }),
    { numRuns: 150 },
  );
});

test('what is found stays where it is when texts without context are put around it, apart by lines', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const quiet = `${'\n'.repeat(300)}`;
      const shifted = find(quiet + text + quiet).map(({ type, start, end }) => ({
        type,
        start: start - 300,
        end: end - 300,
      }));
      expect(shifted).toEqual(find(text));
    }),
    { numRuns: 150 },
  );
});

test('of findings that overlap the surer one stays', () => {
  expect(find('phone 4111 1111 1111 1111')).toEqual([{ type: 'credit_card', start: 6, end: 25 }]);
  expect(find('call me on 457-55-5463').map(({ type }) => type)).toEqual(['us_ssn']);
  expect(find('4111111111111111@example.org')).toMatchObject([{ type: 'email', start: 0, end: 28 }]);
});

test('names are looked for only where asked', () => {
  const types = createPiiFinder()('Dear Mr. John Smith, I am Jane Doe.').map(({ type }) => type);
  expect(types).not.toContain('person_name');
});

test.each(['1', '@', 'a', '\0', '\ud800', ' ', ':', '-'])('very many of %j are read to their end', (unit) => {
  expect(find(unit.repeat(200_000))).toEqual([]);
});

test('no text is passed over that a detector finds something in', () => {
  const withoutNeeds = detectors.map(({ types, find }) => ({ types, find }));
  const sentences = labelledSentences.map((sentence) => sentence.replaceAll(/\[\w+\|([^\]]*)\]/g, '$1'));
  const anyMix = fc.array(fc.oneof(piece, fc.constantFrom(...sentences, ...providerIds)), { maxLength: 6 });
  fc.assert(
    fc.property(anyMix, fc.nat(30), fc.nat(30), (pieces, start, left) => {
      const whole = pieces.join('');
      const text = whole.slice(start, whole.length - left);
      expect(runDetectors(detectors, text)).toEqual(runDetectors(withoutNeeds, text));
    }),
    { numRuns: 3_000 },
  );
});
