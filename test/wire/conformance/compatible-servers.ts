import { dataFrame } from '@agp/testing/providers';
import { type Cell, cut, left, type Row, recordsOf, whole } from './cell.ts';
import { estimates, messages, thoughts, toolCalls, untilText, withoutFigures, words } from './conversation.ts';
import { refusal, upToFour } from './openai-errors.ts';

/** What an answer used: all input, what of it was cached, what was said, and what was thought besides. */
export interface Counts {
  prompt: number;
  cached: number;
  said: number;
  thought: number;
}

/** A piece of a stream. */
export interface Piece {
  delta: object;
  index: number;
  isLast: boolean;
  /** The request asks for the usage. */
  isAsked: boolean;
}

/** How a server that is compatible with OpenAI's differs from it. */
export interface Dialect {
  name: string;
  path: string;
  /** As it stands in requests. */
  model: string;
  /** As it stands in answers, where the server gives it another name. */
  answers?: string;
  /** Nano-dollars for a token that is estimated. */
  price: { input: number; output: number };
  /** Whether the proxy asks this server for the usage of its streams. */
  asksUsage: boolean;
  /** What an agent asks for where it streams. */
  streamBody?: object;
  /** Figures as the server writes them. */
  usage(counts: Counts): object;
  /** Before the first piece of a stream. */
  opening?: string;
  /** Members of a piece's frame, and of its choice. */
  frame?(piece: Piece, usage: object): object;
  choice?(piece: Piece, usage: object): object;
  /** Members of a frame behind the last piece, which is left out where this gives none. */
  ending(usage: object, isAsked: boolean): object | null;
  /** The frame that tells of a failure. */
  error: object;
  /** Where it writes what the model thinks; absent where it does not show that. */
  thinksIn?: 'reasoning' | 'reasoning_content';
  /** What a stream has told of its input and output by the fourth piece. */
  toldByFour?: { prompt: number; completion: number };
}

/** Costs in nano-dollars; what a server does not have is left out. */
export interface Costs {
  complete: number;
  cached?: number;
  reasoning?: number;
  tools: number;
}

const { asked, begun, said, thoughtBegun } = estimates;
const plain: Counts = { prompt: 1_000, cached: 0, said: 6, thought: 0 };
const fromCache: Counts = { ...plain, cached: 800 };
const thinking: Counts = { ...plain, thought: 256 };
const calling: Counts = { ...plain, said: 20 };
const calls = toolCalls.map(({ id, name, arguments: text }, index) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
}));

function writeStream(dialect: Dialect, counts: Counts, isAsked: boolean, deltas: object[]): string {
  const usage = dialect.usage(counts);
  const head = { id: 'x-1', object: 'chat.completion.chunk', created: 1, model: dialect.answers ?? dialect.model };
  const pieces = deltas.map((delta, index) => ({ delta, index, isLast: index === deltas.length - 1, isAsked }));
  const frames = pieces.map((piece) => {
    const choice = { index: 0, delta: piece.delta, finish_reason: piece.isLast ? 'stop' : null };
    const choices = [{ ...choice, ...dialect.choice?.(piece, usage) }];
    return dataFrame({ ...head, choices, ...dialect.frame?.(piece, usage) });
  });
  const ending = dialect.ending(usage, isAsked);
  const last = ending ? dataFrame({ ...head, ...ending }) : '';
  return `${dialect.opening ?? ''}${frames.join('')}${last}data: [DONE]\n\n`;
}

const spoken: object[] = [...words.map((content) => ({ content })), {}];
const called: object[] = [{ role: 'assistant', content: null, tool_calls: calls }, {}];

function writeAnswer(dialect: Dialect, counts: Counts, message: object): string {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }];
  const head = { id: 'x-1', object: 'chat.completion', created: 1, model: dialect.answers ?? dialect.model };
  return JSON.stringify({ ...head, choices, usage: dialect.usage(counts) });
}

/** Cells for what a server has. */
function ifPriced(make: (nanoUsd: number) => Cell, nanoUsd: number | undefined): Cell | undefined {
  return nanoUsd === undefined ? undefined : make(nanoUsd);
}

/** Leaves out what is undefined. */
function gather(cells: { [name in keyof Row['cells']]: Cell | undefined }): Row['cells'] {
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== undefined));
}

/** A server's two rows: the same conversation, streamed and not. */
export function toRows(dialect: Dialect, costs: Costs): Row[] {
  const { model, answers = model, price, error, asksUsage, thinksIn, toldByFour } = dialect;
  const record = recordsOf(answers);
  const ofRequest = recordsOf(model);
  const told = ({ prompt, said, thought }: Counts, nanoUsd: number) => record.told(prompt, said + thought, nanoUsd);
  const estimate = (prompt: number, completion: number, from = record) =>
    from.estimated(prompt, completion, prompt * price.input + completion * price.output);
  const row = { api: dialect.name, method: 'POST', path: dialect.path } as const;
  const body = { model, messages };
  const tools = { asks: { tools: [{ type: 'function', function: { name: 'send_mail' } }] } };

  const answer = (counts: Counts, message: object = { content: words.join('') }) =>
    writeAnswer(dialect, counts, message);
  const half = untilText(answer(plain), 'example.com');
  const halfRead = { ...estimate(asked, begun, ofRequest), pii_scan: 'partial' } as const;

  const pair = (counts: Counts, deltas: object[], change = (wire: string) => wire) => {
    const unasked = { unasked: change(writeStream(dialect, counts, false, deltas)) };
    return [change(writeStream(dialect, counts, true, deltas)), asksUsage ? unasked : {}] as const;
  };
  const streamed = (counts: Counts, nanoUsd: number, deltas = spoken, given = {}) => {
    const [wire, unasked] = pair(counts, deltas);
    return whole(wire, told(counts, nanoUsd), { ...unasked, ...given });
  };
  const [four, fourUnasked] = pair(plain, spoken, upToFour);
  const [failed, failedUnasked] = pair(plain, spoken, (wire) => upToFour(wire) + dataFrame(error));
  const breakOff = (tokens: number) =>
    toldByFour ? estimate(toldByFour.prompt, Math.max(toldByFour.completion, tokens)) : estimate(asked, tokens);
  const brokenOff = breakOff(begun);
  const thought = thinksIn ? [...thoughts.map((text) => ({ [thinksIn]: text })), ...spoken] : spoken;
  const [halfThought, halfThoughtUnasked] = pair(thinking, thought, upToFour);
  return [
    {
      ...row,
      stream: 'no',
      body,
      cells: gather({
        complete: whole(answer(plain), told(plain, costs.complete)),
        aborted: left(half, halfRead),
        'provider cut': cut(half, halfRead),
        error: whole(refusal, ofRequest.nothing({ http_status: 429 })),
        'no usage': whole(withoutFigures(answer(plain)), estimate(asked, said)),
        'cached tokens': ifPriced((nano) => whole(answer(fromCache), told(fromCache, nano)), costs.cached),
        reasoning: ifPriced((nano) => whole(answer(thinking), told(thinking, nano)), costs.reasoning),
        tools: whole(answer(calling, { content: null, tool_calls: calls }), told(calling, costs.tools), tools),
      }),
    },
    {
      ...row,
      stream: 'SSE',
      ...(asksUsage && { asksUsage: true }),
      body: { ...body, stream: true, ...dialect.streamBody },
      cells: gather({
        complete: streamed(plain, costs.complete),
        aborted: left(four, brokenOff, fourUnasked),
        'provider cut': cut(four, brokenOff, fourUnasked),
        error: whole(failed, { ...brokenOff, outcome: 'failed' }, failedUnasked),
        'no usage': whole(withoutFigures(writeStream(dialect, plain, false, spoken)), estimate(asked, said)),
        'cached tokens': ifPriced((nano) => streamed(fromCache, nano), costs.cached),
        reasoning: ifPriced((nano) => streamed(thinking, nano, thought), costs.reasoning),
        'cut in reasoning': thinksIn && cut(halfThought, breakOff(thoughtBegun), halfThoughtUnasked),
        tools: streamed(calling, costs.tools, called, tools),
      }),
    },
  ];
}
