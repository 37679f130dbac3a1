/**
 * How Node is started for the services, here and in benchmarks. Most of what a request or an event makes is garbage a moment
 * later: a young generation that is large enough is collected seldom and finds little alive. Costs up to 100 MB a process.
 */
export const serviceFlags: readonly string[] = ['--max-semi-space-size=32'];
