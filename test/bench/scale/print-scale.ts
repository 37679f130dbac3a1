import { median, medianOfEach } from '../median.ts';
import { describeUsage, type Usage } from '../product/product-usage.ts';
import type { Drain } from './drain-backlog.ts';
import { isAdmission, type Statement } from './read-statements.ts';

/** What a number of proxies and writers made of a load. */
export interface ScaleRound {
  requests: number;
  seconds: number;
  usage: Usage;
  statements: Statement[];
}

/** A step of `npm run bench:scale`. */
export interface Scale {
  proxies: number;
  writers: number;
  rounds: ScaleRound[];
  /** With a quarter of the load, where that was measured too. */
  calm: ScaleRound[];
}

const usageOf = (measured: readonly { usage: Usage }[]): Usage =>
  medianOfEach(
    measured.map(({ usage }) => usage),
    Object.keys(measured[0]?.usage ?? {}),
  );
const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Prints one row of {@link Scale}: what each part used for a request, and how often Postgres was asked. */
export function printScale({ proxies, writers, rounds }: Scale): void {
  const usage = usageOf(rounds);
  const perSecond = median(rounds.map(({ requests, seconds }) => requests / seconds));
  const admissions = median(
    rounds.map(
      ({ statements, seconds }) => statements.filter(isAdmission).reduce((sum, { calls }) => sum + calls, 0) / seconds,
    ),
  );
  console.log(
    `\n${proxies} ${proxies === 1 ? 'proxy' : 'proxies'}, ${writers} ${writers === 1 ? 'writer' : 'writers'}: ${whole(perSecond)} requests/s were sent`,
  );
  console.log(`  a proxy's CPU second serves ${whole(1e6 / (usage.proxy as number))} requests`);
  console.log(`  CPU a request: ${describeUsage(usage)}`);
  console.log(
    `  admission: ${whole(admissions)} queries/s, ${(admissions / proxies).toFixed(0)} of each proxy, ${(admissions / perSecond).toFixed(2)} a request`,
  );
}

/** Prints how soon a backlog was recorded, and at what cost. */
export function printDrains(writers: number, drains: readonly Drain[]): void {
  const usage = usageOf(drains);
  const perSecond = median(drains.map(({ eventsPerSecond }) => eventsPerSecond));
  console.log(
    `\nA backlog, ${writers} ${writers === 1 ? 'writer' : 'writers'}: ${whole(perSecond)} events/s by the clock; a writer's CPU second records ` +
      `${whole(1e6 / (usage.writer as number))}\n  CPU an event: ${describeUsage(usage)}`,
  );
}

/** Prints what Postgres spent its time on. */
export function printStatements({ rounds }: Scale): void {
  const { statements = [], requests = 1 } = rounds.at(-1) ?? {};
  const sum = statements.reduce((all, { ms }) => all + ms, 0);
  console.log('\nPostgres ran, for each request in the last round:');
  for (const { text, calls, ms } of statements.slice(0, 8)) {
    console.log(
      `  ${(calls / requests).toFixed(2).padStart(5)} times, ${(ms / calls).toFixed(3).padStart(7)} ms each, ${((100 * ms) / sum).toFixed(0).padStart(3)} % of the time  ${text.slice(0, 90)}`,
    );
  }
}
