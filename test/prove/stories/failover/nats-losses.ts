import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, eventStream } from '@agp/bus';
import type { NatsNode } from '@agp/testing';
import { waitFor } from '../../../system/start-system.ts';
import type { Replicas } from './start-replicas.ts';
import type { Loss, LossSize } from './under-load.ts';

/** The node that leads the event stream: it decides what is stored. */
export async function findLeader({ system }: Pick<Replicas, 'system'>): Promise<NatsNode> {
  const { natsCluster } = system.stack;
  const connection = await connectBus({ url: natsCluster.url, name: 'failover' });
  try {
    const { streams } = await connection.jetstreamManager({ checkAPI: false });
    return await waitFor('a leader of the event stream', async () => {
      const info = await streams.info(eventStream).catch(() => null);
      return natsCluster.nodes.find(({ name }) => name === info?.cluster?.leader);
    });
  } finally {
    await connection.close();
  }
}

const loseLeader = (lose: (leader: NatsNode) => unknown, giveBack: (leader: NatsNode) => unknown): Loss => ({
  mayFail: [],
  async happen(replicas, { awayMs }) {
    const leader = await findLeader(replicas);
    await lose(leader);
    await sleep(awayMs);
    await giveBack(leader);
  },
});

export const natsLosses = {
  'leader-killed': loseLeader(
    (leader) => leader.kill(),
    (leader) => leader.start(),
  ),
  'leader-paused': loseLeader(
    (leader) => leader.pause(),
    (leader) => leader.resume(),
  ),
  'leader-cut-off': loseLeader(
    (leader) => leader.cutOff(),
    (leader) => leader.rejoin(),
  ),
  'majority-gone': {
    mayFail: [],
    async happen(replicas: Replicas, { awayMs }: LossSize) {
      const leader = await findLeader(replicas);
      const follower = replicas.system.stack.natsCluster.nodes.find((node) => node !== leader) as NatsNode;
      const gone = [leader, follower];
      await Promise.all(gone.map((node) => node.kill()));
      await sleep(awayMs);
      await Promise.all(gone.map((node) => node.start()));
    },
  },
} satisfies Record<string, Loss>;

/** As with a full disk: the stream takes no more until writers, which are suspended, go on. */
export const fullStream: Loss = {
  mayFail: [],
  async happen({ system }, { awayMs }) {
    for (const { child } of system.writers) child.kill('SIGSTOP');
    await sleep(awayMs);
    for (const { child } of system.writers) child.kill('SIGCONT');
  },
};
