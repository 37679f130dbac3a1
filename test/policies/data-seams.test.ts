import { describe, expect, test } from 'vitest';
import { exchangeOf, openRedactor, redactAnswer, redactRequest } from './data-texts.ts';

const pattern = 'KD-[0-9]{4,12}|\\b20[0-9]{6}\\b|AB[0-9]{6}';
const config = {
  kinds: ['email', 'phone', 'credit_card', 'password', 'customer_no'],
  patterns: [{ kind: 'customer_no', pattern, longest: 16 }],
  findsLabels: false,
};
const email = 'jane.roe@example.com';
const send = async (body: unknown) =>
  JSON.parse((await redactRequest(Buffer.from(JSON.stringify(body)), 'application/json', config)).text);
const answer = async (path: string, provider: string, body: unknown) =>
  JSON.parse(
    await redactAnswer(
      exchangeOf(provider, path),
      [Buffer.from(JSON.stringify(body))],
      { 'content-type': 'application/json' },
      openRedactor({ config }),
    ),
  );

/** Two texts that stand beside one another, and what goes on of them. */
const seams: [one: string, other: string, kept: [string, string]][] = [
  [`Git user: ${email}`, 'Please summarise the thread.', ['Git user: [email]', 'Please summarise the thread.']],
  [`From: ${email}`, 'SUBJECT: invoice', ['From: [email]', 'SUBJECT: invoice']],
  ['Hello', `${email} wrote`, ['Hello', '[email] wrote']],
  ['call +49 30 901820', '12 invoices are open', ['call [phone]', '12 invoices are open']],
  ['password: hunter2-Xk9', 'Now run the tests', ['password: [password]', 'Now run the tests']],
  ['KD-1234', '5678 is the amount', ['[customer_no]', '5678 is the amount']],
];

/** Bodies in which two texts stand side by side. */
const places: [name: string, write: (one: string, other: string) => unknown][] = [
  ['parts of a message', (...texts) => ({ messages: [{ role: 'user', content: texts.map(toText) }] })],
  ['system parts', (...texts) => ({ system: texts.map(toText) })],
  [
    'tool results',
    (...texts) => ({
      messages: [
        { role: 'user', content: texts.map((content) => ({ type: 'tool_result', tool_use_id: 't', content })) },
      ],
    }),
  ],
  [
    'commands of tool calls',
    (...texts) => ({
      messages: [
        {
          role: 'assistant',
          content: texts.map((command) => ({ type: 'tool_use', id: 't', name: 'bash', input: { command } })),
        },
      ],
    }),
  ],
  [
    'titles of documents',
    (...texts) => ({ messages: [{ content: texts.map((title) => ({ type: 'document', title })) }] }),
  ],
  ['parts of Gemini', (...texts) => ({ contents: [{ role: 'user', parts: texts.map((text) => ({ text })) }] })],
  [
    'a thought and an answer of Gemini',
    (thought, text) => ({ contents: [{ role: 'model', parts: [{ text: thought, thought: true }, { text }] }] }),
  ],
  [
    'calls of Gemini',
    (...texts) => ({
      contents: [{ role: 'model', parts: texts.map((x) => ({ functionCall: { name: 'sh', args: { x } } })) }],
    }),
  ],
  [
    'parts of a tool output',
    (...texts) => ({
      input: [
        { type: 'function_call_output', call_id: 'c', output: texts.map((text) => ({ type: 'input_text', text })) },
      ],
    }),
  ],
];
const toText = (text: string) => ({ type: 'text', text });

describe.each(places)('%s', (_name, write) => {
  test.each(seams)('%s | %s: what is beside a value stays', async (one, other, kept) => {
    expect(await send(write(one, other))).toEqual(write(...kept));
  });
});

test('a value that parts of one text make together is found', async () => {
  const parts = ['pay 4111 1111', ' 1111 1111 now'].map(toText);
  expect(await send({ messages: [{ role: 'user', content: parts }] })).toEqual({
    messages: [{ role: 'user', content: ['pay [credit_card]', ' now'].map(toText) }],
  });
});

test('two commands of a whole answer stay two', async () => {
  const write = (...commands: string[]) => ({
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: commands.map((command) => ({ type: 'tool_use', id: 't', name: 'bash', input: { command } })),
  });
  const told = write(`git config user.email ${email}`, 'echo rm -rf build');
  expect(await answer('/v1/messages', 'anthropic', told)).toEqual(
    write('git config user.email [email]', 'echo rm -rf build'),
  );
});

const cipher = 'EqoB+AB123456RfKD-4444/9w==';
const long = cipher.replaceAll('=', 'A').repeat(60);

describe('what a provider signed or encrypted', () => {
  const said = `The commit needs the trailer ${email}.`;
  test.each<[string, unknown]>([
    ['thinking', { type: 'thinking', thinking: said, signature: cipher }],
    ['redacted_thinking', { type: 'redacted_thinking', data: cipher }],
    ['long redacted_thinking', { type: 'redacted_thinking', data: long }],
    ['a search', { type: 'web_search_result', encrypted_content: cipher, encrypted_index: cipher }],
  ])('%s goes back as it came', async (_name, block) => {
    const body = { messages: [{ role: 'assistant', content: [block] }] };
    const bytes = Buffer.from(JSON.stringify(body));
    const { text, unsearched } = await redactRequest(bytes, 'application/json', config);
    expect([text, unsearched]).toEqual([bytes.toString(), null]);
  });

  test.each<[string, unknown]>([
    ['reasoning', { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: cipher }] }],
    [
      'OpenRouter',
      {
        messages: [
          {
            role: 'assistant',
            reasoning_details: [
              { type: 'reasoning.encrypted', data: long },
              { type: 'reasoning.text', text: said, signature: cipher },
            ],
          },
        ],
      },
    ],
    ['Gemini', { contents: [{ role: 'model', parts: [{ text: said, thought: true, thoughtSignature: cipher }] }] }],
    [
      'a call of Gemini',
      {
        contents: [
          { role: 'model', parts: [{ functionCall: { name: 'f', args: { to: email } }, thoughtSignature: cipher }] },
        ],
      },
    ],
    [
      "Gemini's OpenAI path",
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [
              {
                id: 'call-12345678',
                function: { name: 'f', arguments: `{"to":"${email}"}` },
                extra_content: { google: { thought_signature: cipher } },
              },
            ],
          },
        ],
      },
    ],
  ])('%s goes back as it came', async (_name, body) => {
    expect(await send(body)).toEqual(body);
  });

  test('a value that stands in the open too is replaced in a signed call', async () => {
    const write = (who: string) => ({
      contents: [
        { role: 'user', parts: [{ text: `Write to ${who}` }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { to: who } }, thoughtSignature: cipher }] },
      ],
    });
    expect(await send(write(email))).toEqual(write('[email]'));
  });

  test('of a value that a signed part makes with the next no half is replaced', async () => {
    const parts = [{ text: 'pay 4111 1111', thoughtSignature: cipher }, { text: ' 1111 1111 now' }];
    const body = { contents: [{ role: 'model', parts }] };
    expect(await send(body)).toEqual(body);
  });

  test('a signature that a caller made up protects nothing', async () => {
    const write = (text: string) => ({
      messages: [{ role: 'user', content: [{ type: 'text', text, signature: cipher }] }],
    });
    expect(await send(write(email))).toEqual(write('[email]'));
  });
});

test('names of the protocol are no texts', async () => {
  const body = {
    model: 'claude-sonnet-4-5-20250929',
    betas: ['computer-use-20250124'],
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call-12345678', type: 'function', function: { name: 'get_AB123456', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call-12345678', content: 'none' },
    ],
    tools: [
      {
        type: 'web_search_20250305',
        function: {
          name: 'get_AB123456',
          parameters: { type: 'object', properties: { AB123456: { type: 'string' } }, required: ['AB123456'] },
        },
      },
    ],
  };
  expect(await send(body)).toEqual(body);
  expect(await send({ metadata: { id: 'KD-12345678' } })).toEqual({ metadata: { id: '[customer_no]' } });
});

test('a member whose name only ends like that of an id is a text', async () => {
  const write = (value: string) => ({ messages: [{ role: 'user', content: 'x', paid: value, android: value }] });
  expect(await send(write('4111111111111111'))).toEqual(write('[credit_card]'));
});

test('what repeats a text by words or tokens loses the value too', async () => {
  const card = ['4111', '1111', '1111', '1111'];
  const word = (each: string) => ({ word: each, start: 0, end: 1 });
  const transcript = { text: `pay ${card.join(' ')} now`, words: ['pay', ...card, 'now'].map(word) };
  expect(await answer('/v1/audio/transcriptions', 'openai', transcript)).toEqual({
    text: 'pay [credit_card] now',
    words: ['pay', '[credit_card]', '', '', '', 'now'].map(word),
  });
  const tokens = ['pay', ' 4111', ' 1111', ' 1111', ' 1111', ' now'];
  const completion = {
    choices: [
      { text: tokens.join(''), logprobs: { tokens, top_logprobs: tokens.map((token) => ({ [token]: -0.1 })) } },
    ],
  };
  const got = await answer('/v1/completions', 'openai', completion);
  expect(JSON.stringify(got)).not.toContain('1111');
  const at = (token: string) => ({ token, logProbability: -0.1 });
  const candidate = {
    content: { role: 'model', parts: [{ text: tokens.join('') }] },
    logprobsResult: {
      chosenCandidates: tokens.map(at),
      topCandidates: tokens.map((token) => ({ candidates: [at(token)] })),
    },
  };
  const gemini = await answer('/v1beta/models/gemini-2.5-pro:generateContent', 'gemini', { candidates: [candidate] });
  expect(JSON.stringify(gemini)).not.toContain('1111');
});

test('a value is found whose part before, or whose name, says what it is', async () => {
  const told = await send({ messages: [{ role: 'user', content: [toText('password: '), toText('hunter2Zx9 now')] }] });
  expect(told.messages[0].content).toEqual([toText('password: '), toText('[password] now')]);
  const input = { password: 'Tr0ub4dor&3', note: 'a&b' };
  const called = await send({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'a', input }] }],
  });
  expect(called.messages[0].content[0].input).toEqual({ password: '[password]', note: 'a&b' });
});
