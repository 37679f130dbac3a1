import { join } from 'node:path';
import { buildConsole } from '@agp/console/build';
import { answerCanned } from '@agp/testing/providers';
import { openConsole } from '../console/support/open-console.ts';
import { startBudgetSystem, stayWithinTheDay } from '../control/support/budget-system.ts';
import { answerAsReserved, Caller } from '../control/support/send-calls.ts';
import { soak } from '../soak/soak.ts';
import { startProcesses } from '../system/start-processes.ts';
import type { Lengths } from './read-options.ts';
import { alertsStory } from './stories/alerts.ts';
import { losePostgresUnderLoad, loseRedisUnderLoad } from './stories/budget-outages.ts';
import { burstAgentCap, burstAtBedrock, burstGlobalCap, measureCost } from './stories/burst-caps.ts';
import { certificatesStory } from './stories/certificates.ts';
import { passwordsStory } from './stories/change-passwords.ts';
import { policiesStory } from './stories/change-policy.ts';
import { followLive } from './stories/console-live.ts';
import { recordExactlyOnce } from './stories/exactly-once.ts';
import { listFailoverStories } from './stories/failover/list-failover-stories.ts';
import { fillDisk, fillNatsDisk, mountSmallDisk } from './stories/full-disk.ts';
import { fuzz } from './stories/fuzz.ts';
import { answerStreamsSlowly, killRunning } from './stories/kill-running.ts';
import { throwKillSwitch } from './stories/kill-switch.ts';
import { killWhileServing, killWithoutRedis, standStill } from './stories/killed-at-work.ts';
import { killAgainAndAgain, startAccounted } from './stories/killed-proxy.ts';
import { lateWritersStory } from './stories/late-writers.ts';
import { killNats, losePostgres } from './stories/outages.ts';
import { overlappingBudgetsStory } from './stories/overlapping-budgets.ts';
import { reconcileBills } from './stories/reconcile.ts';
import { dataStory } from './stories/redact-data.ts';
import { workloadsStory } from './stories/register-workloads.ts';
import { killUnderLoad, quick, restartAll, startReplicas, usual } from './stories/rolling-restart.ts';
import { answerByFate, settleReservations } from './stories/settle-reservations.ts';
import { mountSlowDisk, slowDownDisk } from './stories/slow-disk.ts';
import { sendOverSlowLink } from './stories/slow-links.ts';
import { runStrict } from './stories/strict.ts';
import { recordToldBills } from './stories/told-bills.ts';
import { upgradeStory } from './stories/upgrade.ts';
import { answerSlowly, crossMidnight, setClocks } from './stories/wrong-clocks.ts';
import type { Story } from './story.ts';
import { slowAnswer, withSystem } from './with-system.ts';

const perSecond = 200;

/** @param short makes every story small: what it promises of times is not held against it, since nothing is under load */
export const listStories = (lengths: Lengths): Story[] => {
  const { isShort, fuzzMinutes, soakMinutes, soakPerSecond, runs, seed, load } = lengths;
  const size = <Full, Short>(full: Full, short: Short): Full | Short => (isShort ? short : full);
  return [
    {
      name: 'kill-switch',
      promise:
        'With 200 requests in flight, none that starts after a block has been answered is served, by either proxy.',
      run: (report) =>
        withSystem(slowAnswer, { proxies: 2 }, (system) =>
          throwKillSwitch(system, size({ inFlight: 200, each: 2_000 }, { inFlight: 20, each: 40 }), report),
        ),
    },
    {
      name: 'kill-running',
      promise:
        'A block ends 100 running streams of three proxies with an error within two seconds, and each is recorded.',
      run: (report) =>
        withSystem(answerStreamsSlowly, { proxies: 3 }, async (system, provider) => {
          await using caller = new Caller();
          const full = { streams: 100, workers: 24, each: 500, promisedMs: 2_000 };
          await killRunning({ system, provider, caller }, size(full, { streams: 12, workers: 6, each: 12 }), report);
        }),
    },
    {
      name: 'caps',
      promise: 'Of 200 requests at once through three proxies exactly those pass that fit a cap of an agent or of all.',
      async run(report) {
        await using budgets = await startBudgetSystem(answerAsReserved(1, 100), { writers: 2 }, startProcesses);
        const cost = await measureCost(budgets);
        const burst = size({ parallel: 200, rounds: 10 }, { parallel: 20, rounds: 1 });
        await burstAgentCap(budgets, cost, burst, report);
        await burstGlobalCap(budgets, cost, burst, report);
        await burstAtBedrock(budgets, burst, report);
      },
    },
    ...[policiesStory, dataStory, lateWritersStory, overlappingBudgetsStory].map((story) => story(isShort)),
    ...[alertsStory, workloadsStory, upgradeStory].map((story) => story(isShort)),
    {
      name: 'reservations',
      promise: 'Requests that fail, break or are left reserve nothing for good, and those of a killed proxy are noted.',
      async run(report) {
        await stayWithinTheDay(120_000);
        const { answer, release } = answerByFate();
        await using budgets = await startBudgetSystem(answer, {}, startProcesses);
        const full = { requests: 1_000, atOnce: 50, killed: 40 };
        await settleReservations(budgets, release, size(full, { requests: 60, atOnce: 10, killed: 10 }), report);
      },
    },
    {
      name: 'killed-proxy',
      promise: 'Every request that a killed proxy had forwarded is recorded or noted with at least what it was billed.',
      async run(report) {
        await stayWithinTheDay(120_000);
        await using accounted = await startAccounted();
        await killWhileServing(accounted);
        await killWithoutRedis(accounted);
        await standStill(accounted);
        await killAgainAndAgain(accounted, { kills: size(10, 2) }, report);
      },
    },
    {
      name: 'budget-outages',
      promise: 'Redis and Postgres killed, flushed, paused under load: a cap is passed by no more than is in flight.',
      async run(report) {
        await loseRedisUnderLoad(report);
        await losePostgresUnderLoad(report);
      },
    },
    {
      name: 'strict',
      promise: 'Under BUDGET=strict no agent is billed more than its cap, whatever it sends and however it is read.',
      run: (report) => runStrict({ requests: size(runs, Math.min(runs, 300)), seed }, report),
    },
    {
      name: 'exactly-once',
      promise: '50,000 events through writers of which five are killed are each recorded once, in chains that verify.',
      run: (report) =>
        withSystem(answerCanned(), { proxies: 0, writers: 2 }, (system) =>
          recordExactlyOnce(
            system,
            size({ events: 50_000, kills: 5 }, { events: 2_000, kills: 1, hurried: true }),
            report,
          ),
        ),
    },
    {
      name: 'reconcile',
      promise:
        "What is recorded of 10,000 calls, aborted and failing ones too, is the provider's own bill; estimates within 5 %.",
      run: (report) =>
        withSystem(slowAnswer, {}, (system, provider) =>
          reconcileBills(
            system,
            provider,
            size({ calls: 10_000, atOnce: 48, mostOff: 0.05 }, { calls: 400, atOnce: 24 }),
            report,
          ),
        ),
    },
    {
      name: 'told-bills',
      promise: 'Of 10,000 calls in all the ways that bills are told, each is recorded to the nano-dollar.',
      run: (report) => withSystem(answerCanned(), {}, (...both) => recordToldBills(...both, size(10_000, 500), report)),
    },
    {
      name: 'nats-outage',
      promise: 'With NATS gone for ten seconds at 200 requests a second none fails, and no event is lost.',
      run: (report) =>
        withSystem(answerCanned(), {}, (system) =>
          killNats(
            system,
            size(
              { perSecond, before: 400, away: 2_000, after: 400, mostRefused: 0 },
              { perSecond: 100, before: 20, away: 40, after: 20 },
            ),
            report,
          ),
        ),
    },
    {
      name: 'postgres-outage',
      promise:
        'With Postgres gone or silent every request is refused within two seconds, and served again without a restart.',
      async run(report) {
        for (const how of ['gone', 'silent'] as const)
          await withSystem(answerCanned(), { ownPostgres: true }, (system) =>
            losePostgres(system, how, size({ requests: 20, promisedMs: 2_000 }, { requests: 10 }), report),
          );
      },
    },
    ...listFailoverStories(load, isShort),
    {
      name: 'full-disk',
      promise: 'With the disk under Postgres full, agents are served or told to try again, and nothing served is lost.',
      async run(report) {
        // With room for Postgres' data as it begins, and its log.
        using disk = mountSmallDisk(600);
        if (disk === null) return report({ 'not tried': 'only root can mount a small disk' });
        await withSystem(answerCanned(), { ownPostgres: true, postgresFolder: disk.folder }, (system) =>
          fillDisk(system, disk, 100, report),
        );
      },
    },
    {
      name: 'full-nats-disk',
      promise: 'With the disk under NATS full agents are served; once NATS has room and runs again, no event is lost.',
      async run(report) {
        using disk = mountSmallDisk(64);
        if (disk === null) return report({ 'not tried': 'only root can mount a small disk' });
        await withSystem(answerCanned(), { natsFolder: join(disk.folder, 'nats') }, (system) =>
          fillNatsDisk(system, disk, size(1_000, 500), report),
        );
      },
    },
    {
      name: 'slow-disk',
      promise:
        'With the disk under Postgres and NATS stalling again and again, known agents are served, and no event is lost.',
      async run(report) {
        using disk = mountSlowDisk(2_000);
        if (disk === null) return report({ 'not tried': 'needs root, and a kernel that mounts a file' });
        const folders = { postgresFolder: disk.folder, natsFolder: join(disk.folder, 'nats') };
        const stalls = size(
          {
            'stalls of 0.2 s': Array<number>(50).fill(200),
            'stalls of 2 s': Array<number>(5).fill(2_000),
            'one of 20 s': [20_000],
          },
          { 'stalls of 0.2 s': Array<number>(10).fill(200), 'one of 2 s': [2_000] },
        );
        await withSystem(answerCanned(), { ownPostgres: true, ...folders }, (system) =>
          slowDownDisk(system, disk, { stalls, atOnce: 5, promisedMs: 5_000 }, report),
        );
      },
    },
    {
      name: 'slow-links',
      promise:
        'With each server 200 ms away, losing 5 % of packets, or silent, every answer comes in time and no event is lost.',
      async run(report) {
        for (const server of ['postgres', 'nats', 'redis'] as const)
          await withSystem(answerCanned(), { links: true }, (system) =>
            sendOverSlowLink(
              system,
              server,
              size({ requests: 200, atOnce: 20, promisedMs: 5_000 }, { requests: 20, atOnce: 5 }),
              report,
            ),
          );
      },
    },
    {
      name: 'wrong-clocks',
      promise: "With a proxy's clock set by an hour none fails, and over midnight caps admit what they have room for.",
      async run(report) {
        await withSystem(answerSlowly, { proxies: 0, within: ['management', 'writer'] }, (system) =>
          setClocks(system, size({ each: 200, room: 60 }, { each: 30, room: 12 }), report),
        );
        await withSystem(answerSlowly, { proxies: 0, writers: 0 }, (system) =>
          crossMidnight(
            system,
            size({ before: 5_000, atOnce: 20, room: 200 }, { before: 1_000, atOnce: 9, room: 20 }),
            report,
          ),
        );
      },
    },
    {
      name: 'rolling-restart',
      promise:
        'Every process is replaced at 200 requests a second: none fails, no event is lost, no live client misses one.',
      async run(report) {
        await using replicas = await startReplicas(size(usual, quick));
        await restartAll(replicas, size({ perSecond, rounds: 1 }, { perSecond: 20, rounds: 1, short: true }), report);
      },
    },
    certificatesStory,
    passwordsStory(isShort),
    {
      name: 'fuzz',
      promise: 'Hostile requests and answers end no process, get no 500, and all that was billed is accounted for.',
      run: (report) => fuzz({ minutes: size(fuzzMinutes, Math.min(fuzzMinutes, 0.3)), seed }, report),
    },
    {
      name: 'writer-kills',
      promise:
        'At 200 requests a second with a writer killed every 20 seconds none fails, and each event is recorded and seen.',
      async run(report) {
        await using replicas = await (isShort ? startReplicas(quick, ['proxy']) : startReplicas(usual));
        const full = { perSecond, kills: 5, between: 20 * perSecond };
        await killUnderLoad(replicas, size(full, { perSecond: 20, kills: 1, between: 10, short: true }), report);
      },
    },
    {
      name: 'console-live',
      promise:
        'At 10,000 events a minute for three minutes the console shows each within five seconds, and does not grow in memory.',
      async run(report) {
        await buildConsole({ report: console.log });
        await using opened = await openConsole({}, startProcesses);
        const full = { minutes: 3, perMinute: 10_000, atOnce: 50, promised: { lagMs: 5_000 } };
        await followLive(opened, size(full, { minutes: 1, perMinute: 600, atOnce: 50 }), report);
      },
    },
    {
      name: 'soak',
      promise: 'Whatever is lost at random, callers see what is documented, and at the end all accounts balance.',
      run: (report) =>
        soak(
          { minutes: size(soakMinutes, Math.min(soakMinutes, 0.5)), seed, perSecond: size(soakPerSecond, 20) },
          report,
        ),
    },
  ];
};
