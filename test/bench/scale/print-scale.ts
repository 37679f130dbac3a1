import { describeUsage, type Usage } from '../product.ts';
import { median, medianOfEach } from '../statistics.ts';
import { type Drain, isAdmission, type Statement } from './cluster.ts';

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

/** How many cores each part can have: those of its one thread, or of a machine of its own. */
function listParts(serverCores: number) {
  return [
    { part: 'proxy', cores: 1, text: 'one proxy: one core; start more', isScaledOut: true },
    { part: 'writer', cores: 1, text: 'one writer: one core; start more', isScaledOut: true },
    { part: 'redis', cores: 1, text: 'Redis: one core', isScaledOut: false },
    { part: 'postgres', cores: serverCores, text: `Postgres: ${serverCores} cores`, isScaledOut: false },
    { part: 'nats', cores: 3 * serverCores, text: `NATS: three servers of ${serverCores} cores`, isScaledOut: false },
  ];
}

/** What one more request costs: what is spent by the clock, and on waking up, does not grow with the load. */
function findMarginalUsage(scale: Scale): Usage {
  const parts = Object.keys(scale.rounds[0]?.usage ?? {});
  const usages = scale.rounds.map((busy, round) => {
    const calm = scale.calm[round] ?? busy;
    const more = busy.requests - calm.requests;
    const costs = parts.map((part) => {
      const spent = (busy.usage[part] as number) * busy.requests - (calm.usage[part] as number) * calm.requests;
      return [part, spent / more];
    });
    return Object.fromEntries(costs) as Usage;
  });
  return medianOfEach(usages, parts);
}

/** Prints at how many requests a second each part is full, what is full first, first. */
export function printLimits(scale: Scale, serverCores: number): void {
  const marginal = findMarginalUsage(scale);
  const usage = medianOfEach(
    scale.rounds.map((round) => round.usage),
    Object.keys(marginal),
  );
  const rows = listParts(serverCores)
    .map(({ part, cores, text, isScaledOut }) => {
      const [whole, more] = [usage[part] as number, marginal[part] as number];
      return { text, isScaledOut, least: (cores / whole) * 1e6, most: more > 0 ? (cores / more) * 1e6 : Number.NaN };
    })
    .toSorted((a, b) => a.least - b.least);
  const show = (limit: number) => (Number.isNaN(limit) ? '-' : Math.round(limit).toLocaleString('en')).padStart(9);
  console.log(`\nOne more request than at a quarter of the load costs ${describeUsage(marginal)}`);
  console.log(
    'Each part is full at so many requests/s: if all cost what they did here, and if more cost no more than that',
  );
  for (const { text, least, most } of rows) console.log(`  ${show(least)} ${show(most)}  ${text}`);
  const first = rows.find(({ isScaledOut }) => !isScaledOut);
  if (first) console.log(`With enough proxies and writers, ${first.text.split(':')[0]} is full first.`);
}
