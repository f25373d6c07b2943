// Runs all checks one after another, and derives settings for the gateway from the findings.
import { Contents } from './questions/contents.ts';
import { examineToken } from './questions/credentials.ts';
import { examineDates } from './questions/dates.ts';
import { counted, type Finding } from './finding.ts';
import { examineTies, judgeOrder, judgePageSize, readHead } from './questions/head.ts';
import { examineHolder, type HolderFindings } from './questions/profile-endpoints.ts';
import { judgeLatency } from './questions/latency.ts';
import { examineNumbering } from './questions/numbering.ts';
import { examineRefusals } from './questions/refusals.ts';
import { createService, failureText, type Service, type ServiceSettings } from './probe.ts';
import { openStatement, type Statement } from './statement-pages.ts';

/** The service to examine, the caller, and the account. */
export interface CheckupSettings extends ServiceSettings {
  /** The account whose statement is read; by default, of the first ten accounts, the one with the most transactions. */
  readonly accountId: string | null;
}

export interface Checkup {
  readonly findings: readonly Finding[];
  /** The derived settings for the gateway, by name; without UPSTREAM_URL if no answer could be read. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs all checks against a service; rejects with a ServiceError if the service does not answer. */
export async function examine(settings: CheckupSettings): Promise<Checkup> {
  const service = createService(settings);
  const contents = new Contents();
  const { findings: holder, kinds, accountIds } = await examineHolder(service, contents);
  const chosen = await chooseStatement(service, contents, settings.accountId, accountIds);
  const path = holder[0]?.answer === 'a company' ? '/companies' : '/persons';
  const findings = [
    ...examineToken(settings.token, settings.tenant, kinds),
    ...holder,
    chosen.finding,
    ...(chosen.statement === null ? [] : await examineStatement(chosen.statement)),
    ...(await examineRefusals(service, contents, path)),
    ...contents.findings(),
    judgeLatency(service.durationsMs),
  ];
  const parts = findings.map((finding) => finding.settings ?? {});
  const url = contents.hasAnswer ? { UPSTREAM_URL: settings.url } : {};
  return { findings, settings: Object.assign(url, ...parts) as Checkup['settings'] };
}

interface Chosen {
  readonly statement: Statement | null;
  readonly finding: Finding;
}

/** The largest number of accounts whose statements are compared by length. */
const maxAccounts = 10;

async function chooseStatement(
  service: Service,
  contents: Contents,
  accountId: string | null,
  accountIds: HolderFindings['accountIds'],
): Promise<Chosen> {
  const ids =
    accountId === null
      ? (accountIds ?? []).filter((id) => id !== null).slice(0, maxAccounts)
      : [accountId];
  let longest: { statement: Statement; totalItems: number } | null = null;
  const failures: string[] = [];
  for (const id of ids) {
    const statement = openStatement(service, contents, id);
    const { status, page } = await statement.read({});
    failures.push(failureText(status));
    if (page !== null && page.totalItems > (longest?.totalItems ?? -1)) {
      longest = { statement, totalItems: page.totalItems };
    }
  }
  return {
    statement: longest?.statement ?? null,
    finding: {
      id: 'statement',
      question: 'Which statement is read?',
      answer: longest === null ? null : counted(longest.totalItems, 'transaction'),
      seen:
        longest === null
          ? noStatement(failures, accountIds)
          : `the longest of ${counted(ids.length, 'account')}`,
    },
  };
}

function noStatement(
  failures: readonly string[],
  accountIds: HolderFindings['accountIds'],
): string {
  if (failures.length > 0) return `answers to statements: ${[...new Set(failures)].join(', ')}`;
  if (accountIds === null) return 'the accounts could not be read: choose an --account';
  return accountIds.length === 0
    ? 'the holder has no account: choose an --account'
    : 'no account has a usable id: see violations';
}

async function examineStatement(statement: Statement): Promise<Finding[]> {
  const { findings, base } = await examineNumbering(statement);
  if (base === null) return [...findings];
  const head = await readHead(statement, base);
  if (typeof head === 'string') return [...findings, ...(await examineDates(statement, base))];
  return [
    ...findings,
    judgePageSize(head),
    judgeOrder(head),
    await examineTies(statement, head, base),
    ...(await examineDates(statement, base)),
  ];
}
