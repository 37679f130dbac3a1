import { expect, test } from 'vitest';
import { findOperation, readStream } from '../../../test/find-operation.ts';

const chat = findOperation('/v1/chat/completions');
const chunk = (delta: object, usage?: object) => ({ model: 'm', choices: [{ index: 0, delta }], usage });

test('a stream that is cut is not charged twice for reasoning that it showed and counted', () => {
  const usage = (completion: number) => ({
    prompt_tokens: 9,
    completion_tokens: completion,
    completion_tokens_details: { reasoning_tokens: 3 },
  });
  const cut = readStream(chat, chunk({ reasoning_content: 'Hm.' }, usage(3)), chunk({ content: 'Yes.' }, usage(5)));
  expect(cut).toMatchObject({ usageIsFinal: false, usage: { completionTokens: 5, reasoningTokens: 3 } });
  expect(cut.uncountedText?.().parts).toEqual(['Yes.']);
  expect(cut.outputText().parts).toEqual(['Hm.', 'Yes.']);
});

test('reasoning that is shown and not counted is text like any other', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3 };
  const cut = readStream(chat, chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Yes.' }, usage));
  expect(cut).toMatchObject({ usageIsFinal: false, usage: { completionTokens: 3, reasoningTokens: 0 } });
  expect(cut.uncountedText).toBeUndefined();
});

test('zeros in a last frame replace no figures', () => {
  const told = {
    ...chunk({}, { prompt_tokens: 9, completion_tokens: 3 }),
    choices: [{ index: 0, finish_reason: 'stop' }],
  };
  const zeros = { model: 'm', choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
  const usage = { promptTokens: 9, completionTokens: 3 };
  expect(readStream(chat, told, zeros, '[DONE]')).toMatchObject({ usage, usageIsFinal: true });
});
