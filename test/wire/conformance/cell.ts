/** What may happen to a call, one column of the table each. */
export const conditions = [
  'complete',
  'aborted',
  'provider cut',
  'error',
  'no usage',
  'cached tokens',
  'reasoning',
  'cut in reasoning',
  'tools',
] as const;

export type Condition = (typeof conditions)[number];

/** What the record says of a call, by the names in the lineage payload. */
export interface Recorded {
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number;
  usage_source: 'provider' | 'estimated' | 'none';
  outcome: 'completed' | 'aborted' | 'failed';
  http_status: number;
  pii_types: string[];
  pii_scan: 'full' | 'partial' | 'none';
}

/** A form, as its client writes it. */
export interface Form {
  contentType: string;
  bytes: Buffer;
}

/** One call: what the provider sends, and what must be recorded. */
export interface Cell {
  wire: string | Buffer;
  /** What it sends where nobody asks for the usage of a stream, which is what such an agent gets. */
  unasked?: string;
  /** How the answer ends: as a whole, by the provider's breaking off, or by the agent's leaving. */
  ends: 'whole' | 'cut' | 'left';
  /** In place of the row's. */
  contentType?: string;
  /** Members of the request besides the row's. */
  asks?: object;
  expected: Recorded;
}

/** One operation of an API, streamed or not. */
export interface Row {
  api: string;
  stream: 'no' | 'SSE' | 'array' | 'lines' | 'sound';
  method: 'GET' | 'POST';
  /** Behind the proxy's address; `{id}` stands for something that no other call has. */
  path: string;
  /** The proxy asks for the usage of the stream, since its agent does not. */
  asksUsage?: true;
  /** What is sent, as JSON; none for a GET. */
  body?: object | Form;
  cells: Partial<Record<Condition, Cell>>;
}

export const contentTypes: Record<Row['stream'], string> = {
  no: 'application/json',
  SSE: 'text/event-stream; charset=utf-8',
  array: 'application/json; charset=UTF-8',
  lines: 'application/x-jsonl',
  sound: 'audio/mpeg',
};

/** What is recorded of calls of one model, whose answers hold an e-mail address unless it is said otherwise. */
export function recordsOf(model: string, piiTypes: string[] = ['email']) {
  const record = (prompt: number, completion: number, nanoUsd: number, rest: Partial<Recorded>): Recorded => ({
    model,
    prompt_tokens: prompt,
    completion_tokens: completion,
    cost_usd: nanoUsd / 1e9,
    usage_source: 'none',
    outcome: 'completed',
    http_status: 200,
    pii_types: piiTypes,
    pii_scan: 'full',
    ...rest,
  });
  return {
    /** By the provider's own figures. */
    told: (prompt: number, completion: number, nanoUsd: number, rest: Partial<Recorded> = {}) =>
      record(prompt, completion, nanoUsd, { usage_source: 'provider', ...rest }),
    estimated: (prompt: number, completion: number, nanoUsd: number, rest: Partial<Recorded> = {}) =>
      record(prompt, completion, nanoUsd, { usage_source: 'estimated', ...rest }),
    /** Nothing is billed, and nobody wrote an address. */
    nothing: (rest: Partial<Recorded> = {}) => record(0, 0, 0, { pii_types: [], ...rest }),
  };
}

type Given = Partial<Omit<Cell, 'wire' | 'expected' | 'ends'>>;

export const whole = (wire: Cell['wire'], expected: Recorded, given: Given = {}): Cell => ({
  wire,
  ends: 'whole',
  expected,
  ...given,
});

/** The agent leaves once it has all of this. */
export const left = (wire: string | Buffer, expected: Recorded, given: Given = {}): Cell => ({
  ...whole(wire, { ...expected, outcome: 'aborted' }, given),
  ends: 'left',
});

/** The provider's connection breaks after this. */
export const cut = (wire: string | Buffer, expected: Recorded, given: Given = {}): Cell => ({
  ...whole(wire, { ...expected, outcome: 'failed' }, given),
  ends: 'cut',
});
