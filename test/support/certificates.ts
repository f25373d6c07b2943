// A certificate authority of openssl, and certificates that it signs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  /** The paths of the PEM files. */
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Disposable {
  /** The path of the authority's own certificate. */
  readonly ca: string;
  /** Signs a certificate for 127.0.0.1 and localhost. */
  issue(commonName: string, days?: number): Certificate;
}

const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates an authority; its files are removed when it is disposed of. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'account-bff-ca-'));
  const request = (name: string, days: number, ...more: readonly string[]): Certificate => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const subject = ['-subj', `/CN=${name}`, '-days', String(days)];
    const out = ['-keyout', files.key, '-out', files.cert];
    execFileSync('openssl', ['req', '-x509', ...ec, ...subject, ...out, ...more], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return files;
  };
  const { cert: ca, key } = request('authority', 3650);
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
  return {
    ca,
    issue: (commonName, days = 365) =>
      request(commonName, days, '-CA', ca, '-CAkey', key, '-addext', names),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

export function pemOf({ cert, key }: Certificate): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}
