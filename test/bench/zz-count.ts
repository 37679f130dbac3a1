import { startDurableServers } from '@agp/testing/servers';
import { makeEventStream } from '../system/make-event-stream.ts';
import { countProxy } from './counts/count-proxy.ts';
import { sumRooms } from './counts/inspect-counts.ts';
await using servers = await startDurableServers(process.env);
await makeEventStream(servers.natsUrl);
const names = process.argv.slice(2) as any[];
const { ours } = await countProxy(servers, ['small', ...names], 600);
const small = ours.get('small')!;
for (const name of names) {
  const rooms = ours.get(name)!;
  console.log(name, sumRooms(rooms), 'small', sumRooms(small));
  const rows = [...new Set([...rooms.keys(), ...small.keys()])].map((r) => [(rooms.get(r)?.calls ?? 0) - (small.get(r)?.calls ?? 0), (rooms.get(r)?.calls ?? 0), r] as const).sort((a, b) => b[0] - a[0]);
  for (const [d, c, r] of rows.slice(0, 30)) console.log(d.toFixed(0).padStart(7), c.toFixed(0).padStart(7), r);
}

