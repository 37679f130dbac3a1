import { loadConfig, type Service } from '@agp/runtime';
import { managementConfigSchema, writerConfigSchema } from '@agp/settings';
import { startManagement } from '../../services/management/src/start-management.ts';
import { loadProxyConfig } from '../../services/proxy/src/config.ts';
import { startProxy } from '../../services/proxy/src/start-proxy.ts';
import { startWriter } from '../../services/writer/src/start-writer.ts';

// A process of its own: tries to start services that cannot start, says why, and ends once nothing is open any more.
// Argument: the attempts, each with the service and what of its configuration is to be otherwise, as JSON.

const [attempts = '[]'] = process.argv.slice(2);
const { env } = process;
const starts: Record<string, (more: object) => Promise<Service>> = {
  proxy: (more) => startProxy({ ...loadProxyConfig(env), ...more }),
  management: (more) => startManagement({ ...loadConfig(managementConfigSchema, env), ...more }),
  writer: (more) => startWriter({ ...loadConfig(writerConfigSchema, env), ...more }),
};
for (const [name, wrong] of JSON.parse(attempts)) {
  const said = await starts[name]?.(wrong).then(
    () => 'started',
    (error: Error) => error.message,
  );
  process.stdout.write(`${name} ended: ${said}\n`);
}
