import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** The certificates of `NODE_EXTRA_CA_CERTS` that Node does not bring itself: who signs for the registry here may be among them. */
export function readExtraAuthorities(): string {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return '';
  const known = new Set(rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256));
  const given = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return given.filter((pem) => !known.has(new X509Certificate(pem).fingerprint256)).join('\n');
}
