import { expect, test } from 'vitest';
import { matchEvent } from './live-buffer.ts';

const event = { agent_name: 'Invoice-Checker', model: 'gpt-5-mini', compliance_tag: 'default', pii_detected: false };

test('finds a text in the name, the model or the tag, in any case', () => {
  expect(matchEvent(event, { text: 'invoice' })).toBe(true);
  expect(matchEvent(event, { text: 'MINI' })).toBe(true);
  expect(matchEvent(event, { text: 'other' })).toBe(false);
  expect(matchEvent(event, {})).toBe(true);
});

test('only personal data where that is asked for', () => {
  expect(matchEvent(event, { pii: true })).toBe(false);
  expect(matchEvent({ ...event, pii_detected: true }, { pii: true, text: 'gpt' })).toBe(true);
});
