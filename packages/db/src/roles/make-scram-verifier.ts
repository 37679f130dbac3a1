import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4_096;

/**
 * The form in which Postgres stores a password under SCRAM-SHA-256 (RFC 5803). Made here so that the password itself appears in no
 * statement, and so in no log.
 *
 * @param password printable ASCII: other characters would have to be normalised as each client does it
 */
export function makeScramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
