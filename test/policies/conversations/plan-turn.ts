import { createHash, randomUUID } from 'node:crypto';
import { labelPattern } from '@agp/pii/label';

export type Json = Record<string, unknown>;

export const asList = (value: unknown): Json[] =>
  typeof value === 'string' ? [{ type: 'text', text: value }] : Array.isArray(value) ? (value as Json[]) : [];

export const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64');

/** What a provider answers with 400. */
export class Refused extends Error {}

/** What a model knows of the turn at hand: what it was asked, and its calls and their results since. */
interface Turn {
  asked: string;
  called: string;
  results: string;
  declared: string;
}

/** Tools of SDKs and of programs, by what they are for. */
const sends: Record<string, (to: string) => Json> = {
  send_mail: (to) => ({ to }),
  Bash: (to) => ({ command: `./send-mail '${to}'`, description: `Send a mail to ${to}` }),
  exec_command: (to) => ({ cmd: `./send-mail '${to}'` }),
};
const reads: Record<string, (file: string) => Json> = {
  Read: (file) => ({ file_path: file }),
  exec_command: (file) => ({ cmd: `cat ${file}` }),
};

/** Codex lets its newest models write a program that calls the tools, as text and no JSON. */
const writeProgram = (calls: Call[]) =>
  `const done = await Promise.all([${calls.map(({ name, input }) => `tools.${name}(${JSON.stringify(input)})`).join(', ')}]);
for (const { output } of done) text(output);`;

interface Call {
  name: string;
  /** A text for a tool that takes any. */
  input: Json | string;
}

/** At once a call for each value and each file that it has read of and not called with; once there is none, the end of the turn. */
export function plan({ asked, called, results, declared }: Turn) {
  const named = [...new Set(`${asked} ${results}`.match(labelPattern))];
  const isProgram = declared.includes('"type":"custom","name":"exec"');
  const choose = (tools: typeof sends, values: string[]): Call[] => {
    const isDeclared = (name: string) => (isProgram ? name === 'exec_command' : declared.includes(`"name":"${name}"`));
    const [name, write] = Object.entries(tools).find(([each]) => isDeclared(each)) ?? [];
    const left = values.filter((value) => !called.includes(value));
    if (left.length > 0 && !write) throw new Refused(`no tool for ${left}`);
    return left.map((value) => ({ name: `${name}`, input: write?.(value) ?? {} }));
  };
  const each = [...choose(sends, named), ...choose(reads, asked.match(/\S+\.note/g) ?? [])];
  const calls = isProgram && each.length > 0 ? [{ name: 'exec', input: writeProgram(each) }] : each;
  const words = calls.length > 0 ? `I write to ${named.join(' and ')}.` : `Sent to ${named.join(', ')}.`;
  return { words, calls: calls.map((call) => ({ ...call, id: `call_${randomUUID()}` })) };
}
