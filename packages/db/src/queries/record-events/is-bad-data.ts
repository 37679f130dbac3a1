/**
 * Whether Postgres refused a value itself (SQLSTATE class 22, data exception), so that trying again cannot help.
 * Everything else may pass: a lost connection, a deadlock, a full disk.
 */
export function isBadData(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && /^22[0-9A-Z]{3}$/.test(String(error.code));
}
