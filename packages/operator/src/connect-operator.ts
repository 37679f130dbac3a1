import { type BusConnection, connectBus } from '@agp/bus';
import { commonFields, describeFailure, loadConfig } from '@agp/runtime';
import { z } from 'zod';

const { natsUrl, natsCaFile } = commonFields;
const schema = z.object({ natsUrl, natsCaFile });

/**
 * Connects to NATS as the user of operators' commands, from `NATS_URL` and `NATS_CA_FILE`. It does not wait for a server that is away.
 *
 * @throws ConfigError, or an error whose message names the variable
 */
export async function connectOperator(): Promise<BusConnection> {
  const config = loadConfig(schema, process.env);
  try {
    return await connectBus({ url: config.natsUrl, caFile: config.natsCaFile, name: 'agp-operator', wait: false });
  } catch (error) {
    throw new Error(`NATS_URL: the server cannot be used: ${describeFailure(error)}`);
  }
}
