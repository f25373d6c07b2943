// docs/your-service.md shows what the doctor prints for real services. `vitest -u` writes the reports into the page.
import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { examine } from '../../doctor/checkup.ts';
import { reportOf } from '../../doctor/report.ts';
import { createAuthority, pemOf } from '../support/certificates.ts';
import { type Differences, startExampleService } from '../support/example-service.ts';
import { startProxy } from '../support/proxy.ts';
import { createSigner, signToken } from '../support/tokens.ts';

const page = new URL('../../docs/your-service.md', import.meta.url).pathname;
const signer = createSigner('ES256');
const claims = { sub: 'ana', entityType: 'PERSON', exp: 4_102_444_800 };

interface Example extends Differences {
  readonly claims?: object;
  readonly env?: Readonly<Record<string, string>>;
}

async function reportFor({ env, claims: others, ...differences }: Example = {}): Promise<string> {
  const token = signToken(signer, { ...claims, ...others });
  await using service = await startExampleService(token, differences);
  const { url, tenant } = service;
  const subject = { env: { ...env, UPSTREAM_URL: url }, token, tenant, accountId: null };
  const report = reportOf(await examine(subject));
  // The addresses, paths and durations in the page are the same at each run.
  return report
    .replaceAll(url, 'https://accounts.example/v1')
    .replaceAll(/=\S*\/account-bff-ca-[^/]+\//g, '=/etc/account-bff/')
    .replace(/\d+ ms at the median, \d+ ms/, '12 ms at the median, 48 ms');
}

async function mutualTlsReport(): Promise<string> {
  using authority = createAuthority();
  const [service, client] = [authority.issue('accounts'), authority.issue('client')];
  const ca = await readFile(authority.ca);
  return await reportFor({
    tls: { ...pemOf(service), ca, requestCert: true },
    env: { UPSTREAM_CA: authority.ca, UPSTREAM_CERT: client.cert, UPSTREAM_KEY: client.key },
  });
}

async function proxyReport(): Promise<string> {
  using authority = createAuthority();
  await using proxy = await startProxy();
  vi.stubEnv('HTTPS_PROXY', `http://${proxy.host}`);
  vi.stubEnv('NO_PROXY', '');
  try {
    const env = { NODE_USE_ENV_PROXY: '1', UPSTREAM_CA: authority.ca };
    const report = await reportFor({ tls: pemOf(authority.issue('accounts')), env });
    expect(new Set(proxy.asked)).toEqual(
      new Set([expect.stringMatching(/^CONNECT 127\.0\.0\.1:\d+$/)]),
    );
    return report;
  } finally {
    vi.unstubAllEnvs();
  }
}

test('docs/your-service.md has the reports for eight services', async () => {
  const reports: Readonly<Record<string, string>> = {
    fits: await reportFor(),
    pages: await reportFor({ pageBase: 1 }),
    ties: await reportFor({ hasTieBreak: false }),
    null: await reportFor({
      page: (sent) => (sent.data.length > 0 ? sent : { ...sent, data: null }),
    }),
    zone: await reportFor({ row: (sent) => ({ ...sent, createdAt: sent.createdAt.slice(0, -1) }) }),
    token: await reportFor({ claims: { exp: 1_767_225_600 } }),
    mtls: await mutualTlsReport(),
    proxy: await proxyReport(),
  };
  const text = await readFile(page, 'utf8');
  const blocks = /(<!-- doctor: (\w+) -->\n\n```\n)[^]*?^```$/gm;
  expect([...text.matchAll(blocks)].map(([, , name]) => name).sort()).toEqual(
    Object.keys(reports).sort(),
  );
  const made = text.replace(
    blocks,
    (_, head: string, name: string) => `${head}${reports[name] ?? ''}\n\`\`\``,
  );
  await expect(made).toMatchFileSnapshot(page);
});
