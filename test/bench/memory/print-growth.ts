import { fitLine } from './fit-line.ts';
import type { MemoryReport } from './report-memory.ts';

const mib = 1024 ** 2;
/** What is not counted: the compilers are at work, and caches fill. */
const warmUp = 1 / 4;
/** Growth within an hour, as a share of what is held, that is called flat; a service that leaks a request's object grows by far more. */
const flatShare = 0.05;

/** Prints what a service held over an hour of traffic, and whether it grew. @param readings by the part of the hour that had passed */
export function printGrowth(service: string, readings: readonly [hours: number, MemoryReport][]): void {
  const counted = readings.filter(([hours]) => hours > warmUp);
  for (const part of ['heap', 'external', 'resident'] as const) {
    const points = counted.map(([hours, report]) => [hours, report[part] / mib] as const);
    const { slope, error, mean } = fitLine(points);
    const isFlat = slope - 2 * error <= 0 || slope < flatShare * mean;
    const eighths = [0, 1, 2, 3, 4, 5, 6, 7].map((eighth) => {
      const reading = readings[Math.floor(((eighth + 1) * readings.length) / 8) - 1];
      return ((reading?.[1][part] ?? Number.NaN) / mib).toFixed(1);
    });
    console.log(
      `${service.padEnd(10)} ${part.padEnd(8)} MiB after each eighth: ${eighths.join(' ')}   ` +
        `${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${(2 * error).toFixed(2)} an hour: ${isFlat ? 'flat' : 'GROWS'}`,
    );
  }
}
