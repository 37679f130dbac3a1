import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** A port that a service is about to listen on, and the variable that moves it. */
export interface WantedPort {
  variable: string;
  host: string;
  port: number;
}

/** Throws StartError naming the variable of a port that cannot be listened on. Port 0 always can. */
export async function checkPorts(wanted: WantedPort[]): Promise<void> {
  for (const { variable, host, port } of wanted) {
    const probe = createServer();
    try {
      probe.listen(port, host);
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used on ${host} (${code})`;
      throw new StartError(`Port ${port} ${reason}. Set ${variable} to a free port and start again.`);
    }
  }
}
