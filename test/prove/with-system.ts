import { answerCanned, type FakeProvider, type Handler, startFakeProvider } from '@agp/testing/providers';
import { type ProcessOptions, type ProcessSystem, startProcesses } from '../system/start-processes.ts';

/** Starts a provider and, as processes, what is to be proved. */
export async function withSystem(
  handler: Handler,
  options: ProcessOptions,
  work: (system: ProcessSystem, provider: FakeProvider) => Promise<void>,
): Promise<void> {
  await using provider = await startFakeProvider(handler);
  const { url } = provider;
  const environment = { PROVIDER_OPENAI_URL: url, PROVIDER_ANTHROPIC_URL: url, PROVIDER_GEMINI_URL: url };
  await using system = await startProcesses({
    ...options,
    environment: { ...environment, LOG_LEVEL: 'fatal', ...options.environment },
  });
  await work(system, provider);
}

/** Takes 50 ms, so that requests pile up in flight. */
export const slowAnswer: Handler = async (received, index) => ({
  ...(await answerCanned()(received, index)),
  pauseMs: 50,
});
