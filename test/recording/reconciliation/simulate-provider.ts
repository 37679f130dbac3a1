import type { FakeReply, Handler, Step } from '@agp/testing/providers';
import { answerCanned, dataFrame, eventFrame } from '@agp/testing/providers';
import { chargeTokens } from './list-prices.ts';
import type { PlannedCall } from './plan-calls.ts';

/** The header by which the provider knows a call. */
export const callHeader = 'x-simulated-call';

/** Between the pieces of a stream that its agent is going to leave, so that the provider does not run far ahead of it. */
const paceMs = 30;

const refusal = { type: 'error', error: { type: 'server_error', code: 500, message: 'The server had an error.' } };

function toErrorFrame({ kind: { api, name } }: PlannedCall): string {
  if (api === 'openai' && !name.includes('responses')) return dataFrame(refusal);
  if (name.includes('array')) return `,\r\n${JSON.stringify(refusal)}]`;
  return api === 'gemini' ? dataFrame(refusal) : eventFrame(refusal);
}

/**
 * A provider that keeps its own bill, in nano-dollars by call: for whole answers of the tokens that it reports, for
 * others of the tokens in the pieces that it wrote until it noticed that nobody reads on.
 */
export class SimulatedProvider {
  readonly #calls: Map<string, PlannedCall>;
  readonly bill = new Map<string, number>();

  constructor(calls: readonly PlannedCall[]) {
    this.#calls = new Map(calls.map((call) => [call.id, call]));
  }

  readonly answer: Handler = async (request, index) => {
    const call = this.#calls.get(request.headers[callHeader]?.toString() ?? '');
    if (!call) throw new Error('a call that nobody planned');
    if (this.bill.has(call.id)) throw new Error(`${call.id} came twice`);
    this.bill.set(call.id, 0);
    if (call.ending === 'refused') return { status: 500, body: refusal };
    if (call.ending === 'unanswered') return { cut: true };
    this.#charge(call, 0);
    const reply = await answerCanned(call.answer)(request, index);
    if (call.ending === 'completed') {
      this.#charge(call, call.answer.output + call.answer.reasoning);
      return reply;
    }
    return { ...reply, body: { steps: this.#stream(call, reply) } };
  };

  /** Sets what a call costs that has put out so many tokens. */
  #charge({ id, model, answer }: PlannedCall, output: number): void {
    this.bill.set(id, chargeTokens(model, { ...answer, output }));
  }

  /** Streams what a call is to put out before it ends; each piece is charged once it is written. */
  async *#stream(call: PlannedCall, reply: FakeReply): AsyncIterable<Step> {
    const { steps } = reply.body as { steps: string[] };
    let output = call.answer.reasoning;
    let written = 0;
    for (const frame of steps) {
      if (call.ending !== 'aborted' && written === call.stopAfter) break;
      const piece = call.pieces[written];
      const holdsPiece = piece !== undefined && frame.includes(JSON.stringify(piece.text));
      if (call.ending === 'aborted' && holdsPiece) yield { pauseMs: paceMs };
      yield frame;
      if (!holdsPiece) continue;
      written += 1;
      output += piece.tokens;
      this.#charge(call, output);
      // The last frames would complete a call that a starved agent had no time to leave.
      while (call.ending === 'aborted' && written === call.pieces.length) yield { pauseMs: paceMs };
    }
    if (call.ending === 'error event') yield toErrorFrame(call);
    if (call.ending === 'cut') yield { cut: true };
  }
}
