import { toLineText } from '@agp/core/text';
import { probePort } from '../servers/probe-port.ts';
import { StartError } from '../start-error.ts';

/** A port that a service is about to listen on, and the variable that moves it. */
export interface WantedPort {
  variable: string;
  hostVariable: string;
  host: string;
  port: number;
}

/** Codes of errors that are of the host, not of the port. */
const hostFaults = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

/** @throws StartError naming the variable of a port that cannot be listened on, or of its host */
export async function checkPorts(wanted: WantedPort[]): Promise<void> {
  const taken = new Map<string, string>();
  for (const { variable, hostVariable, host, port } of wanted) {
    const other = port === 0 ? undefined : taken.get(`${host} ${port}`);
    if (other !== undefined) throw new StartError(`${variable} and ${other} cannot both be ${port}.`);
    taken.set(`${host} ${port}`, variable);
    await probePort(port, host).catch(({ code = '' }: NodeJS.ErrnoException) => {
      if (hostFaults.has(code))
        throw new StartError(`${hostVariable}: ${toLineText(host, 200)} is no address of this machine (${code}).`);
      const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used on ${host} (${code})`;
      throw new StartError(`Port ${port} ${reason}. Set ${variable} to a free port and start again.`);
    });
  }
}
