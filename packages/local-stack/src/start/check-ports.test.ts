import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checkPorts } from './start-config.ts';

const at = (port: number, host = '127.0.0.1', variable = 'PROXY_PORT') => ({
  variable,
  hostVariable: 'HOST',
  host,
  port,
});

test('a port that is taken, one wanted twice, and a host elsewhere are named by their variables', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(checkPorts([at(port)])).rejects.toThrow(`Port ${port} is in use by another program. Set PROXY_PORT`);
  other.close();
  await once(other, 'close');
  await expect(checkPorts([at(port), at(port, '127.0.0.1', 'OPS_PORT')])).rejects.toThrow(
    `OPS_PORT and PROXY_PORT cannot both be ${port}.`,
  );
  await expect(checkPorts([at(0, '192.0.2.1')])).rejects.toThrow('HOST: 192.0.2.1 is no address of this machine');
  await expect(checkPorts([at(0), at(0)])).resolves.toBeUndefined();
});
