import { type Handler, startFakeProvider } from '@agp/testing/providers';
import { answerAsReserved } from '../../../control/support/send-calls.ts';
import { answerLoad } from '../../../lifecycle/rolling/send-load.ts';
import { startBalancer } from '../../../lifecycle/rolling/start-balancer.ts';
import { LiveClient } from '../../../recording/exactly-once/live-client.ts';
import { type ProcessOptions, startProcesses } from '../../../system/start-processes.ts';
import { waitFor } from '../../../system/start-system.ts';

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

export type ClusterOptions = Pick<ProcessOptions, 'nats' | 'redis' | 'ownPostgres' | 'environment' | 'within'>;

/** Requests that bound their output are a spender's: they cost what they reserve, and take a while. */
function answerBoth(wordPauseMs: number): Handler {
  const [load, spend] = [answerLoad(wordPauseMs), answerAsReserved(1, 300)];
  return (received, index) => (received.body.includes('"max_tokens"') ? spend : load)(received, index);
}

/** Two proxies, two writers and two managements behind balancers, a provider, and a client of the live stream. */
export async function startReplicas({ environment, ...options }: ClusterOptions, wordPauseMs = 200) {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await startFakeProvider(answerBoth(wordPauseMs)));
  const system = opened.use(
    await startProcesses({
      ...options,
      proxies: 2,
      writers: 2,
      environment: {
        PROVIDER_OPENAI_URL: provider.url,
        MAX_REGISTRATIONS_PER_MINUTE: '10000',
        LOG_LEVEL: process.env.AGP_FAILOVER_LOG ?? 'fatal',
        ...environment,
      },
    }),
  );
  const startOther = options.within?.includes('management') ? system.startWithin : system.start;
  const managements = [system.management, await startOther('management')];
  const proxyBalancer = opened.use(await startBalancer({ targets: system.proxies }));
  const managementBalancer = opened.use(await startBalancer({ targets: managements }));
  await waitFor('all to be ready', () =>
    [
      ...system.proxies.map((each) => proxyBalancer.isReady(each)),
      ...managements.map((each) => managementBalancer.isReady(each)),
    ].every(Boolean),
  );
  const live = new LiveClient(managementBalancer.url, system.apiKey);
  const following = live.run();
  opened.defer(async () => {
    live.stop();
    await following;
  });
  await waitFor('the live stream', () => live.connections > 0);
  const everything = opened.move();
  return {
    system,
    provider,
    proxyBalancer,
    managementBalancer,
    live,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}
