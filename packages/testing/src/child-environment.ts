/** Variables for a process that a test starts: these and no others, but for where programs lie, and the cache of compiled code. */
export function childEnvironment(variables: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...variables };
}
