// Reads the certificate files again when they change, and warns before certificates expire.
import { unwatchFile, watchFile } from 'node:fs';
import {
  CertificateError,
  type CertificateFiles,
  type Certificates,
  readCertificates,
} from '../../settings/certificate-files.ts';
import type { UpstreamObserver, UpstreamSettings } from './call.ts';

export interface WatchParts {
  readonly files: CertificateFiles;
  readonly log: UpstreamSettings['log'];
  readonly observer: Pick<UpstreamObserver, 'certificate'>;
}

export interface CertificateWatch {
  /** The latest certificates that can be used; null if no file is set. */
  readonly current: () => Certificates | null;
  /** Calls `listener` after each change. */
  readonly start: (listener: (certificates: Certificates) => void) => void;
  readonly stop: () => void;
}

/** Polling, because file events miss updates of Kubernetes secrets, which replace a symbolic link. */
const polling = { interval: 1000, persistent: false };

const dayMs = 86_400_000;
const warningMs = 14 * dayMs;

/** Reads the files; throws a CertificateError if one cannot be used. Later failures are logged. */
export function watchCertificates({ files, log, observer }: WatchParts): CertificateWatch {
  const { upstreamCa, upstreamCert, upstreamKey } = files;
  const paths = [upstreamCa, upstreamCert, upstreamKey].filter((path) => path !== null);
  let current = readCertificates(files);
  let onChange: (certificates: Certificates) => void = () => undefined;
  let daily: NodeJS.Timeout | undefined;

  const report = () => {
    for (const [setting, atMs] of current?.expiresAtMs ?? []) {
      observer.certificate(setting, atMs);
      const fields = { setting, expiresAt: new Date(atMs).toISOString() };
      if (atMs - Date.now() < warningMs) log.warn(fields, 'a certificate has to be replaced');
    }
  };
  // Files that are replaced together are reported one by one.
  let latestProblem = '';
  const reload = () => {
    try {
      const read = readCertificates(files);
      latestProblem = '';
      if (read === null || read.fingerprint === current?.fingerprint) return;
      current = read;
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      if (error.message === latestProblem) return;
      latestProblem = error.message;
      const problems = error.message.split('\n');
      log.error({ problems }, 'certificates cannot be read; the previous ones stay in use');
      return;
    }
    log.info({}, 'the certificates were read again; new connections use them');
    onChange(current);
    report();
  };
  return {
    current: () => current,
    start(listener) {
      onChange = listener;
      for (const path of paths) watchFile(path, polling, reload);
      report();
      if (paths.length > 0) daily = setInterval(report, dayMs).unref();
    },
    stop() {
      for (const path of paths) unwatchFile(path, reload);
      clearInterval(daily);
    },
  };
}
