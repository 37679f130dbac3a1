import { parseArgs } from 'node:util';

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

/** Reads the options of the command line. Throws where one is no number, or unknown. */
export function readOptions(args: string[]): LatencyOptions {
  const { values } = parseArgs({
    args,
    options: {
      rates: { type: 'string', default: '50,200,800' },
      streams: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2.5' },
      seed: { type: 'string', default: '1' },
      agents: { type: 'string', default: '20' },
      placement: { type: 'string', default: 'apart' },
    },
  });
  const toNumber = (name: string, text: string) => {
    const value = Number(text);
    if (!(text.trim() !== '' && value >= 0)) throw new Error(`--${name}: "${text}" is no number`);
    return value;
  };
  const { placement } = values;
  if (placement !== 'apart' && placement !== 'free') throw new Error('--placement: apart or free');
  return {
    rates: values.rates
      .split(',')
      .filter(Boolean)
      .map((rate) => toNumber('rates', rate)),
    streams: toNumber('streams', values.streams),
    rounds: toNumber('rounds', values.rounds),
    seconds: toNumber('seconds', values.seconds),
    seed: toNumber('seed', values.seed),
    agents: toNumber('agents', values.agents),
    placement,
  };
}
