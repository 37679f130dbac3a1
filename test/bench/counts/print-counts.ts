import type { DurableServers } from '@agp/testing/servers';
import { countProxy } from './count-proxy.ts';
import { type Rooms, sumRooms } from './inspect-counts.ts';
import { type Count, type CountedCall, findExcess, limits } from './limits.ts';

/** Counts all calls and prints them, the small one and the stream by room. @returns whether all are within their limits */
export async function printCounts(servers: DurableServers): Promise<boolean> {
  const names = Object.keys(limits) as CountedCall[];
  const { bare, ours } = await countProxy(servers, names, 1_500);
  const [small, stream] = ours.values();
  for (const [room, count] of toRows(small ?? new Map()).slice(0, 40)) printRow(`  ${room}`, count);
  for (const [room, count] of toRows(stream ?? new Map()).slice(0, 12)) printRow(`  stream: ${room}`, count);
  printRow('bare Node, small', sumRooms(bare));
  let within = true;
  for (const [name, rooms] of ours) {
    const count = sumRooms(rooms);
    const excess = findExcess(name, count);
    printRow(
      name,
      count,
      `limit ${Object.values(limits[name]).join(', ')}${excess.length > 0 ? `; too much: ${excess.join(', ')}` : ''}`,
    );
    within &&= excess.length === 0;
  }
  return within;
}

const toRows = (rooms: Rooms) => [...rooms].sort(([, a], [, b]) => b.calls - a.calls);

function printRow(name: string, { calls, functions, bytes }: Count, note = ''): void {
  const figures = [calls.toFixed(0), functions.toFixed(0), bytes.toFixed(0)].map((figure) => figure.padStart(7));
  console.log(`${name.padEnd(36)} ${figures[0]} calls ${figures[1]} functions ${figures[2]} bytes   ${note}`.trimEnd());
}
