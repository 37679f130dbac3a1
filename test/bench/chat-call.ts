/** A chat completion of ordinary size: about 1 KB in, 1.5 KB out. */
export const chatRequest = JSON.stringify({
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You are a careful assistant that answers briefly. '.repeat(6) },
    { role: 'user', content: 'Summarise the minutes of the meeting in three points. '.repeat(10) },
  ],
  max_tokens: 300,
});

/** What a provider says to it. */
export const chatAnswer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'The team agreed on the plan. '.repeat(40) },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 210, completion_tokens: 260, total_tokens: 470, prompt_tokens_details: { cached_tokens: 0 } },
});

/** The same question, to be streamed. */
export const streamRequest = JSON.stringify({ ...JSON.parse(chatRequest), stream: true });

let turn = 0;

/** The same request or answer with texts that nobody has sent before: each begins with a number of its own. */
export function withNewTexts(json: string): string {
  turn += 1;
  return json.replaceAll('"content":"', `"content":"${turn}. `);
}
