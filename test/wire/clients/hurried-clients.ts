import { parentPort } from 'node:worker_threads';
import type { Target } from '../sdks/call.ts';

/** One question of one client. */
export interface HurriedCall {
  id: string;
  client: string;
  target: Target;
}

/** What the client threw, or null if it was answered. */
export interface HurriedResult {
  id: string;
  error: string | null;
}

/** LlamaIndex gives up after exactly a minute: that limit stays. */
const isPause = (ms: number | undefined): boolean => ms !== undefined && ms >= 100 && ms <= 120_000 && ms !== 60_000;

/* In this thread pauses before a repetition take a millisecond; longer times, which are limits, stay. */
const start = globalThis.setTimeout;
globalThis.setTimeout = ((run: () => void, ms?: number, ...more: unknown[]) =>
  start(run as (...given: unknown[]) => void, isPause(ms) ? 1 : ms, ...more)) as typeof setTimeout;

const { clients } = await import('./list-clients.ts');
const { bedrockClients } = await import('./bedrock.ts');

async function run({ id, client: name, target }: HurriedCall): Promise<HurriedResult> {
  const ofBedrock = bedrockClients.find((each) => `bedrock ${each.name}` === name);
  const asked = ofBedrock?.ask(target.baseUrl) ?? clients.find((each) => each.name === name)?.ask(target);
  const error = await asked?.then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  return { id, error: error ?? null };
}

parentPort?.on('message', (call: HurriedCall) => void run(call).then((result) => parentPort?.postMessage(result)));
