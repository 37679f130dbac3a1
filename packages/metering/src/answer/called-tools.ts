import { type EventTool, maxToolName, maxTools } from '@agp/core/events';
import { type AnswerNaming, StreamNames } from '../dialects/named-tools.ts';
import type { OnCall, Operation, StreamReader, StreamReading } from '../dialects/operation.ts';
import type { Frame } from '../json/frame.ts';

/** A copy: a part of a text would keep all of it in memory. */
const shorten = (name: string) =>
  name.length <= maxToolName ? name : Buffer.from(name.slice(0, maxToolName)).toString();

/** Tools that an answer called, each once. */
class CalledTools {
  readonly #known = new Map<string, EventTool>();

  add(tools: readonly EventTool[]): void {
    for (const { kind, names } of tools) {
      const short = names.map(shorten);
      if (this.#known.size <= maxTools) this.#known.set(`${kind} ${short[0]}`, { kind, names: short });
    }
  }

  list(): EventTool[] {
    return [...this.#known.values()];
  }
}

/** Notes the tools that a stream calls, beside what its own reader reads. */
class CallingReader implements StreamReader {
  readonly #reader: StreamReader;
  readonly #names: StreamNames;
  #called: CalledTools | null = null;

  constructor(reader: StreamReader, naming: AnswerNaming) {
    this.#reader = reader;
    this.#names = new StreamNames(naming);
  }

  get sawEnd(): boolean {
    return this.#reader.sawEnd === true;
  }

  push(frame: Frame): void {
    this.#reader.push(frame);
    if (!this.#names.mayCall(frame.data)) return;
    const { called } = this.#names.read(frame.object());
    if (called.length === 0) return;
    this.#called ??= new CalledTools();
    this.#called.add(called);
  }

  pushEnds(event: string, head: string, tail: Buffer): void {
    this.#reader.pushEnds?.(event, head, tail);
  }

  end(): StreamReading {
    return { ...this.#reader.end(), called: this.#called?.list() ?? [] };
  }
}

export function createCallingReader(operation: Operation, onCall?: OnCall): StreamReader {
  const reader = operation.createStreamReader(onCall);
  return operation.answerNames ? new CallingReader(reader, operation.answerNames) : reader;
}
