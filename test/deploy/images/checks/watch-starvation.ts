import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Starvation {
  /** The longest that this process waited for the CPU or for itself, in milliseconds. */
  heldUpMs: number;
  /** The share of the time in which something waited for a CPU; null where the kernel does not tell. */
  cpuPressure: number | null;
}

export function describeStarvation({ heldUpMs, cpuPressure }: Starvation): string {
  const share = cpuPressure === null ? 'an unknown share' : `${(cpuPressure * 100).toFixed(0)} %`;
  return `something waited for a CPU in ${share} of the time, and this process up to ${(heldUpMs / 1_000).toFixed(1)} s`;
}

/** Microseconds in which something waited for a CPU, since the machine began. */
function readPressure(): number | null {
  try {
    return Number(/^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

/** Measures from now on; the function that it returns ends that, and tells what was seen. */
export function watchStarvation(): () => Starvation {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const began = performance.now();
  const pressure = readPressure();
  return () => {
    delay.disable();
    const waited = readPressure();
    const elapsedUs = (performance.now() - began) * 1_000;
    return {
      heldUpMs: delay.max / 1e6,
      cpuPressure: pressure === null || waited === null ? null : (waited - pressure) / elapsedUs,
    };
  };
}
