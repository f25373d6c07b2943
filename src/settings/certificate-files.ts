// The files of UPSTREAM_CA, UPSTREAM_CERT and UPSTREAM_KEY: reads and checks them.
import { createPrivateKey, hash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** The paths of the files; null if a setting is not set. */
export interface CertificateFiles {
  readonly upstreamCa: string | null;
  readonly upstreamCert: string | null;
  readonly upstreamKey: string | null;
}

export interface Certificates {
  readonly context: SecureContext;
  /** Equal for files with the same content. */
  readonly fingerprint: string;
  /** For UPSTREAM_CA and UPSTREAM_CERT, when the first of their certificates expires, in epoch milliseconds. */
  readonly expiresAtMs: ReadonlyMap<string, number>;
}

/** Files cannot be used. The message has a line for each problem, which names the setting and quotes no content. */
export class CertificateError extends Error {}

/** Reads the files; null if none is set. Throws a CertificateError that lists every problem. */
export function readCertificates(files: CertificateFiles): Certificates | null {
  const problems: string[] = [];
  const readPem = <T>(
    setting: string,
    path: string | null,
    what: string,
    parse: (pem: string) => T,
  ) => {
    if (path === null) return null;
    try {
      const pem = readFileSync(path, 'utf8');
      return { pem, parsed: parse(pem) };
    } catch {
      problems.push(
        `${setting}: ${JSON.stringify(path)} cannot be used, expected a PEM file with ${what}`,
      );
      return null;
    }
  };
  const { upstreamCa, upstreamCert, upstreamKey } = files;
  const ca = readPem('UPSTREAM_CA', upstreamCa, 'certificates', parseCertificates);
  const cert = readPem('UPSTREAM_CERT', upstreamCert, 'a certificate', parseCertificates);
  const keyOf = 'a private key without a passphrase';
  const key = readPem('UPSTREAM_KEY', upstreamKey, keyOf, createPrivateKey);
  if (problems.length === 0 && (upstreamCert === null) !== (upstreamKey === null)) {
    const [missing, given] =
      upstreamKey === null ? ['UPSTREAM_KEY', 'UPSTREAM_CERT'] : ['UPSTREAM_CERT', 'UPSTREAM_KEY'];
    problems.push(`${missing}: not set, expected a file that belongs to that of ${given}`);
  }
  if (cert && key && cert.parsed[0]?.checkPrivateKey(key.parsed) !== true) {
    problems.push('UPSTREAM_KEY: does not match, expected the private key of UPSTREAM_CERT');
  }
  if (problems.length > 0) throw new CertificateError(problems.join('\n'));
  if (ca === null && cert === null) return null;
  const expiry = { UPSTREAM_CA: ca, UPSTREAM_CERT: cert };
  return {
    fingerprint: hash('sha256', [ca, cert, key].map((file) => file?.pem).join('\n')),
    context: contextOf(ca?.pem, cert?.pem, key?.pem),
    expiresAtMs: new Map(
      Object.entries(expiry).flatMap(([setting, file]) =>
        file === null ? [] : [[setting, Math.min(...file.parsed.map(endOf))]],
      ),
    ),
  };
}

function contextOf(ca?: string, cert?: string, key?: string): SecureContext {
  try {
    return createSecureContext({
      // These replace the defaults of Node.js, which include NODE_EXTRA_CA_CERTS.
      ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
      ...(cert !== undefined && { cert, key }),
    });
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    throw new CertificateError(
      `UPSTREAM_CERT: OpenSSL refuses it (${code}), expected a usable one`,
    );
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function parseCertificates(pem: string): readonly X509Certificate[] {
  const found = pem.match(certificate) ?? [];
  if (found.length === 0) throw new Error('no certificate');
  return found.map((one) => new X509Certificate(one));
}

function endOf({ validToDate }: X509Certificate): number {
  return validToDate.getTime();
}
