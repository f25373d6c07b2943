// A service with its own certificate authority that asks for client certificates, and certificates that are replaced
// while the gateway serves.
import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startBank, type Bank } from '../../src/sandbox/bank.ts';
import { holderOf } from '../support/bank.ts';
import { type Authority, type Certificate, createAuthority } from '../support/certificates.ts';
import { scrape } from '../support/exposition.ts';
import { startTestGateway } from '../support/gateway.ts';
import { codesOf, query } from '../support/query.ts';
import { startTlsService } from '../support/tls-service.ts';

let authority: Authority;
let bank: Bank;
let certificate: Certificate;
let first: Certificate;

beforeAll(async () => {
  authority = createAuthority();
  bank = await startBank();
  certificate = authority.issue('service');
  first = authority.issue('first');
  return async () => {
    authority[Symbol.dispose]();
    await bank.close();
  };
});

const document = '{ accounts { id } }';

/** A folder as Kubernetes mounts a secret: the files are links into a folder that a link names, which is replaced. */
function secretFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'account-bff-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let version = 0;
  const put = (cert: string | Buffer, key: string | Buffer) => {
    const data = `..version-${++version}`;
    mkdirSync(join(folder, data));
    writeFileSync(join(folder, data, 'tls.crt'), cert);
    writeFileSync(join(folder, data, 'tls.key'), key);
    symlinkSync(data, join(folder, '..next'));
    renameSync(join(folder, '..next'), join(folder, '..data'));
  };
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(folder, name));
  const files = { UPSTREAM_CERT: join(folder, 'tls.crt'), UPSTREAM_KEY: join(folder, 'tls.key') };
  return {
    files,
    put,
    putCertificate: ({ cert, key }: Certificate) => put(readFileSync(cert), readFileSync(key)),
  };
}

async function startPair(env: Readonly<Record<string, string>>) {
  const service = await startTlsService({ target: bank.url, certificate, clientsOf: authority });
  const settings = { UPSTREAM_URL: service.url, LOG_LEVEL: 'info', ...env };
  const gateway = await startTestGateway(settings, { bank });
  onTestFinished(async () => {
    await gateway.close();
    await service[Symbol.asyncDispose]();
  });
  return { service, gateway };
}

test('the gateway trusts UPSTREAM_CA and presents UPSTREAM_CERT', async () => {
  const { service, gateway } = await startPair({
    UPSTREAM_CA: authority.ca,
    UPSTREAM_CERT: first.cert,
    UPSTREAM_KEY: first.key,
  });
  const { data, errors } = await query(gateway, document);
  expect(errors).toBeUndefined();
  expect(data).toHaveProperty('accounts');
  expect(service.clients).toEqual(['first']);
});

test.each([
  ['without UPSTREAM_CA, it does not trust the service', false, true],
  ['without UPSTREAM_CERT, the service does not accept the gateway', true, false],
])('%s', async (_what, hasCa, hasCert) => {
  const { service, gateway } = await startPair({
    UPSTREAM_RETRIES: '0',
    ...(hasCa && { UPSTREAM_CA: authority.ca }),
    ...(hasCert && { UPSTREAM_CERT: first.cert, UPSTREAM_KEY: first.key }),
  });
  expect(codesOf(await query(gateway, document))).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(service.clients).toEqual([]);
});

test('no call of 5,000 is lost when certificates are replaced, and new connections use the new one', async () => {
  const secret = secretFolder();
  secret.putCertificate(first);
  const { service, gateway } = await startPair({
    UPSTREAM_CA: authority.ca,
    ...secret.files,
    UPSTREAM_TIMEOUT_MS: '60000',
    OPERATION_TIMEOUT_MS: '60000',
  });
  const second = authority.issue('second');
  const [id = ''] = holderOf(bank, 'PERSON').accounts;
  /** Calls for different days are not shared. */
  const documentOf = (n: number) => {
    const fields = Array.from({ length: 25 }, (_, k) => {
      const from = new Date(Date.UTC(2020, 0, 25 * n + k)).toISOString().slice(0, 10);
      return `t${k}: transactions(accountId: "${id}", from: "${from}") { totalCount }`;
    });
    return `{ ${fields.join(' ')} }`;
  };
  let left = 200;
  const failures: unknown[] = [];
  const loaded = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (left-- > 0) {
        const { errors = [] } = await query(gateway, documentOf(left));
        failures.push(...errors);
        if (left === 180) secret.putCertificate(second);
      }
    }),
  );
  const linesOf = (msg: RegExp) => gateway.log.filter((line) => msg.test(String(line['msg'])));
  await vi.waitFor(() => expect(linesOf(/read again/)).toHaveLength(1), 60_000);
  await vi.waitFor(() => expect(service.clients.at(-1)).toBe('second'), 10_000);
  const before = service.clients.length;
  await loaded;
  expect(failures).toEqual([]);
  expect(service.clients).toHaveLength(5000);
  expect(new Set(service.clients.slice(before + 100))).toEqual(new Set(['second']));
});

test('files that cannot be used are logged, and the last good ones stay in use', async () => {
  const secret = secretFolder();
  secret.putCertificate(first);
  const { service, gateway } = await startPair({ UPSTREAM_CA: authority.ca, ...secret.files });
  secret.put(readFileSync(first.cert), readFileSync(certificate.key));
  const errors = () => gateway.log.filter(({ level }) => level === 'error');
  await vi.waitFor(() => expect(errors()).not.toHaveLength(0), 10_000);
  expect(errors()[0]).toMatchObject({
    msg: 'certificates cannot be read; the previous ones stay in use',
    problems: ['UPSTREAM_KEY: does not match, expected the private key of UPSTREAM_CERT'],
  });
  expect((await query(gateway, document)).errors).toBeUndefined();
  expect(service.clients).toEqual(['first']);
});

test('expiry is a metric, and a warning 14 days ahead', async () => {
  const days = 86_400;
  const soon = authority.issue('soon', 13);
  const { gateway } = await startPair({
    UPSTREAM_CA: authority.ca,
    UPSTREAM_CERT: soon.cert,
    UPSTREAM_KEY: soon.key,
  });
  const { total } = await scrape(gateway);
  const left = (setting: string) =>
    total('account_bff_upstream_certificate_expiry_timestamp_seconds', { setting }) -
    Date.now() / 1000;
  expect(left('UPSTREAM_CERT') / days).toBeCloseTo(13, 1);
  expect(left('UPSTREAM_CA') / days).toBeCloseTo(3650, 1);
  const warnings = gateway.log.filter(({ level }) => level === 'warn');
  expect(warnings).toMatchObject([
    { setting: 'UPSTREAM_CERT', msg: 'a certificate has to be replaced' },
  ]);
});
