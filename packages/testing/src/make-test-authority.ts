import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '@agp/local-stack/servers';

/** An authority of a test's own. */
export interface TestAuthority extends Disposable {
  /** The authority's certificate, in PEM. */
  caFile: string;
  /** Makes a certificate for one host: a name, or an IPv4 address. */
  issue(host: string): TlsFiles;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority whose certificates are good for a day, with the `openssl` of the system. Its files go when it is disposed of. */
export function makeTestAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'agp-ca-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const authority = ['-keyout', file('ca.key'), '-out', file('ca.crt'), '-subj', '/CN=test authority', '-days', '1'];
  openssl('req', '-x509', ...newKey, ...authority);
  return {
    caFile: file('ca.crt'),
    issue(host) {
      const [keyFile, certFile, request, extensions] = ['key', 'crt', 'csr', 'ext'].map((end) =>
        file(`${host}.${end}`),
      ) as [string, string, string, string];
      writeFileSync(extensions, `subjectAltName=${/^[\d.]+$/.test(host) ? 'IP' : 'DNS'}:${host}\n`);
      openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', '/CN=server');
      const signer = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '1'];
      openssl('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-out', certFile);
      return { certFile, keyFile };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
