import { readArguments } from '../read-arguments.ts';

export interface LatencyOptions {
  /** Requests a second. */
  rates: number[];
  /** Streams begun a second; 0 measures none. */
  streams: number;
  rounds: number;
  /** Of each rate, target and round. */
  seconds: number;
  seed: number;
  agents: number;
  placement: 'apart' | 'free';
}

/** Reads the options of the command line. Throws where a rate is no number, or a placement is unknown. */
export function readOptions(): LatencyOptions {
  const { rates, placement, ...numbers } = readArguments('bench:latency', {
    rates: '50,200,800',
    streams: 20,
    rounds: 3,
    seconds: 2.5,
    seed: 1,
    agents: 20,
    placement: 'apart',
  });
  if (placement !== 'apart' && placement !== 'free') throw new Error('--placement: apart or free');
  const toRate = (text: string) => {
    if (!(Number(text) > 0)) throw new Error(`--rates: "${text}" is no number above 0`);
    return Number(text);
  };
  return { ...numbers, rates: rates.split(',').filter(Boolean).map(toRate), placement };
}
