import { probePort } from '../servers/probe-port.ts';
import { StartError } from '../start-error.ts';

/** A port that a service is about to listen on, and the variable that moves it. */
export interface WantedPort {
  variable: string;
  host: string;
  port: number;
}

/** @throws StartError naming the variable of a port that cannot be listened on */
export async function checkPorts(wanted: WantedPort[]): Promise<void> {
  for (const { variable, host, port } of wanted)
    await probePort(port, host).catch(({ code }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used on ${host} (${code})`;
      throw new StartError(`Port ${port} ${reason}. Set ${variable} to a free port and start again.`);
    });
}
