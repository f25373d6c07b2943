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
  /** Signs a certificate for 127.0.0.1 and localhost. With a negative number of `days`, it has expired. */
  issue(commonName: string, days?: number): Certificate;
}

const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Creates an authority; its files are removed when it is disposed of. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'account-bff-ca-'));
  const filesOf = (name: string): Certificate => ({
    cert: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  /** Writes a new key, and a certificate or, with `-new`, a request for one. */
  const request = (kind: '-x509' | '-new', name: string, ...more: readonly string[]) => {
    const { cert, key } = filesOf(name);
    openssl(['req', kind, ...ec, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert, ...more]);
  };
  request('-x509', 'authority', '-days', '3650');
  const { cert: ca, key } = filesOf('authority');
  return {
    ca,
    issue(commonName, days = 365) {
      const files = filesOf(commonName);
      const { cert } = files;
      request('-new', commonName, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost');
      // Unlike `req`, `x509` accepts a negative number of days.
      const signed = ['-req', '-in', cert, '-out', cert, '-copy_extensions', 'copy'];
      openssl(['x509', ...signed, '-days', String(days), '-CA', ca, '-CAkey', key]);
      return files;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

export function pemOf({ cert, key }: Certificate): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}
