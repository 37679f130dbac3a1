import { connectBus, logBusStatus, type NatsConnection, subscribeToAnnouncements } from '@agp/bus';
import type { Logger } from '@agp/runtime';
import type { ManagementConfig } from '../config.ts';
import type { LiveStreams } from './live-streams.ts';

/**
 * Feeds the streams with the writers' announcements, from when this resolves. Streams end whenever an announcement may have been
 * missed: at a gap, when the broker is lost, and again when it is back, for those that were opened meanwhile.
 */
export async function followRecordings(
  config: Pick<ManagementConfig, 'natsUrl' | 'natsUrlFile' | 'natsCaFile'>,
  streams: LiveStreams,
  logger: Logger,
): Promise<NatsConnection> {
  const logStatus = logBusStatus(logger);
  const connection = await connectBus({
    url: config.natsUrl,
    urlFile: config.natsUrlFile,
    caFile: config.natsCaFile,
    name: 'agp-management',
    onStatus: (status, detail) => {
      logStatus(status, detail);
      if (status === 'disconnected') streams.endStreams();
      // The server must hold the subscription again before clients come back and backfill.
      if (status === 'reconnected')
        void connection.flush().then(
          () => streams.endStreams(),
          () => streams.endStreams(),
        );
    },
  });
  subscribeToAnnouncements(
    connection,
    ({ events }) => streams.publish(events),
    () => {
      logger.warn('an announcement of recorded events was missed');
      streams.endStreams();
    },
  );
  await connection.flush();
  return connection;
}
