// Runs all checks one after another, and derives the verdict and the settings.
import { tokenReader } from '../src/gateway.ts';
import { parseSettings, type Settings } from '../src/settings/settings.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { expected, fatal, type Finding, unknown } from './finding.ts';
import { tryGateway } from './gateway-trial.ts';
import { openStatement, type Statement } from './pages.ts';
import { Contents } from './questions/contents.ts';
import {
  examineRefusals,
  judgeCaller,
  judgeKindClaim,
  judgeSignature,
} from './questions/credentials.ts';
import { examineDates, examineEmptyPeriod } from './questions/dates.ts';
import { judgeLatency } from './questions/latency.ts';
import { findPageBase, judgeCurrentPage } from './questions/numbering.ts';
import { examineHolder } from './questions/profile-endpoints.ts';
import * as rows from './questions/rows.ts';
import { openService, type Service } from './service.ts';

/** The service to examine, the caller, and the account. */
export interface Subject {
  /** The environment with the gateway's settings, UPSTREAM_URL among them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The bearer token, without the word `Bearer`. */
  readonly token: string;
  readonly tenant: string;
  /** The account whose statement is read; by default, of the first ten accounts, the one with the most transactions. */
  readonly accountId: string | null;
}

export type Verdict = 'works as it is' | 'works with settings' | 'cannot work';

export interface Checkup {
  readonly verdict: Verdict;
  /** The settings with which the gateway works: those of the environment, and those that the findings add. */
  readonly settings: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  /** What the gateway itself has read with these settings; null if it was not tried. */
  readonly read: string | null;
  readonly durationsMs: readonly number[];
}

/** Called when a step begins, and after each answer of the service. */
export type Progress = (step: string, answers: number) => void;

/** The longest wait for an answer, unless the gateway's own timeout is longer. */
const longestWaitMs = 30_000;

/** Runs all checks. Throws a SettingsError if a setting in the environment is invalid. */
export async function examine(
  subject: Subject,
  progress: Progress = () => undefined,
): Promise<Checkup> {
  const settings = parseSettings({ ...subject.env, NODE_ENV: 'development' });
  const { upstreamUrl } = settings;
  if (upstreamUrl === null) throw new TypeError('UPSTREAM_URL is not set');
  const caller = { authorization: `Bearer ${subject.token}`, tenant: subject.tenant };
  let step = 'the token';
  let answers = 0;
  const enter = (name: string) => progress((step = name), answers);
  await using service = openService(
    { ...settings, upstreamUrl, timeoutMs: Math.max(settings.upstreamTimeoutMs, longestWaitMs) },
    caller,
    (count) => progress(step, (answers = count)),
  );
  const findings: Finding[] = [];
  const checkup = {
    subject,
    settings,
    caller,
    service,
    findings,
    contents: new Contents(settings.upstreamTimeZone),
    enter,
  };
  const accountId = await runChecks(checkup);
  const { env } = subject;
  if (findings.some(({ outcome }) => outcome === 'fatal')) return conclude(checkup, null);
  enter('the gateway itself');
  const added = settingsOf(findings);
  const zone = 'UPSTREAM_TIME_ZONE' in added ? { UPSTREAM_TIME_ZONE: 'UTC' } : {};
  const trial = await tryGateway({ ...env, ...added, ...zone }, caller, accountId);
  findings.push(trial.finding);
  return conclude(checkup, trial.read);
}

interface Running {
  readonly subject: Subject;
  readonly settings: Settings;
  readonly caller: { readonly authorization: string; readonly tenant: string };
  readonly service: Service;
  readonly findings: Finding[];
  readonly contents: Contents;
  readonly enter: (step: string) => void;
}

/** Returns the id of the account whose statement was read; null if there is none. */
async function runChecks(running: Running): Promise<string | null> {
  const { subject, settings, caller, service, findings, contents, enter } = running;
  const log = createLogger({ level: 'silent', destination: { write: () => undefined } });
  const readToken = tokenReader(settings, log, Date.now);
  enter('the token');
  const accepted = await judgeCaller(caller, settings, readToken);
  findings.push(accepted);
  if (accepted.outcome === 'fatal') return null;
  const claims = await readToken(subject.token);
  enter('the profile');
  const holder = await examineHolder(service, contents);
  findings.push(holder.finding);
  if (holder.finding.outcome === 'fatal') return null;
  findings.push(
    judgeKindClaim(claims, holder.kinds, holder.wrongKind, settings),
    judgeSignature(caller, claims, settings),
    ...(await examineRefusals(service, holder.path, caller, claims, settings)),
  );
  enter('the statement');
  const ids = subject.accountId === null ? holder.accountIds : [subject.accountId];
  const chosen = await chooseStatement(service, contents, ids);
  findings.push(chosen.finding);
  if (chosen.statement !== null) await examineStatement(running, chosen.statement);
  findings.push(
    ...contents.findings(),
    judgeLatency(service.durationsMs, settings.upstreamTimeoutMs),
  );
  return chosen.accountId;
}

interface Chosen {
  readonly accountId: string | null;
  readonly statement: Statement | null;
  readonly finding: Finding;
}

/** The largest number of accounts whose statements are compared by length. */
const maxAccounts = 10;

async function chooseStatement(
  service: Service,
  contents: Contents,
  accountIds: readonly string[] | null,
): Promise<Chosen> {
  const id = 'statement';
  const ids = (accountIds ?? []).slice(0, maxAccounts);
  let longest: { accountId: string; statement: Statement; totalItems: number } | null = null;
  const failures = new Set<string>();
  for (const accountId of ids) {
    const statement = openStatement(service, contents, accountId);
    const { page, reason } = await statement.read({});
    if (page === null) failures.add(reason);
    else if (page.totalItems > (longest?.totalItems ?? -1)) {
      longest = { accountId, statement, totalItems: page.totalItems };
    }
  }
  if (longest !== null) return { ...longest, finding: expected(id) };
  const none = { accountId: null, statement: null };
  if (failures.size > 0)
    return { ...none, finding: fatal(id, `no statement can be read: ${[...failures].join(' ')}`) };
  const seen = accountIds === null ? 'the accounts could not be read' : 'the holder has no account';
  return { ...none, finding: unknown(id, `${seen}: choose an --account`) };
}

async function examineStatement(
  { settings, findings, enter }: Running,
  statement: Statement,
): Promise<void> {
  enter('page numbers');
  const { base, finding } = await findPageBase(statement, settings.upstreamPageBase);
  findings.push(finding);
  if (base === null) return;
  enter('rows');
  const head = await rows.readHead(statement, base);
  if (typeof head === 'string') findings.push(unknown('rows', head));
  else {
    const end = await rows.readEnd(statement, head, base);
    const pages = head.pages.map((page, index) => [base + index, page] as const);
    findings.push(
      judgeCurrentPage(new Map(pages), base),
      rows.judgePageSize(head, end),
      rows.judgeTotals(head, end),
      rows.judgeBeyond(head, end),
      rows.judgeOrder(head),
      rows.judgeIds(head),
    );
    enter('rows with the same createdAt');
    findings.push(await rows.examineTies(statement, head, base));
  }
  enter('periods');
  findings.push(
    ...(await examineDates(statement, base)),
    await examineEmptyPeriod(statement, base),
  );
}

/** The settings of the environment that are part of the result, except for UPSTREAM_URL, which is its first. */
const shownSetting = /^(?:UPSTREAM_(?!URL$)|NODE_USE_ENV_PROXY$|JWT_(?:ENTITY_TYPE|TENANT)_CLAIM$)/;

function conclude({ subject: { env }, findings, service }: Running, read: string | null): Checkup {
  const given = Object.entries(env).filter(([name, value]) => shownSetting.test(name) && value);
  const added = { ...Object.fromEntries(given), ...settingsOf(findings) } as Record<string, string>;
  const isFatal = findings.some(({ outcome }) => outcome === 'fatal');
  const works = Object.keys(added).length === 0 ? 'works as it is' : 'works with settings';
  return {
    verdict: isFatal ? 'cannot work' : works,
    settings: { UPSTREAM_URL: env['UPSTREAM_URL'] ?? '', ...added },
    findings,
    read,
    durationsMs: service.durationsMs,
  };
}

function settingsOf(findings: readonly Finding[]): Record<string, string> {
  return Object.assign({}, ...findings.map(({ settings }) => settings)) as Record<string, string>;
}
