/**
 * Node's flags for the services, here and in benchmarks. Most objects of a request or an event are garbage a moment later: a large
 * young generation is collected seldom and finds little alive. It costs up to 100 MB a process; `npm run bench:proxy` shows the gain.
 */
export const serviceFlags: readonly string[] = ['--max-semi-space-size=32'];
