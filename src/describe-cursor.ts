// The command `account-bff cursor TEXT`: prints the content of a cursor.
import { parseArgs } from 'node:util';
import { GatewayError } from './errors.ts';
import { decodeCursor, type NamedRows, scopeOf } from './statement/cursor.ts';

const usage = `Usage: account-bff cursor TEXT [--account ID [--from DAY] [--to DAY]]

Prints the content of a cursor. With --account, compares its statement with that of the account
between the days, which have the form 2026-12-31.`;

/** The content of a cursor, one item per line, or the usage for `--help`; throws a TypeError if an argument is wrong. */
export function describeCursor(args: string[]): string {
  const {
    values: { help, ...compared },
    positionals,
  } = parseArgs({
    args,
    options: {
      account: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (help) return usage;
  const [text] = positionals;
  if (text === undefined || positionals.length > 1) throw new TypeError(usage);
  const [version = '', scope = ''] = text.split('.');
  try {
    const { isReordered, ...cursor } = decodeCursor(text, scope);
    const { key, index, total, size, createdAtMs, newer, older } = cursor;
    const lines = {
      version,
      statement: `${scope}${comparisonOf(scope, compared)}`,
      row: `key ${key}`,
      place: `${index + 1} of ${total} from the newest, in pages of ${size}`,
      createdAt: createdAtMs === null ? 'none' : new Date(createdAtMs).toISOString(),
      'newer rows': describeRows(newer),
      'older rows': describeRows(older),
      ...(isReordered ? { ties: 'have changed their order' } : {}),
    };
    return Object.entries(lines)
      .map(([name, value]) => `${name.padEnd(12)}${value}`)
      .join('\n');
  } catch (error) {
    if (!(error instanceof GatewayError || error instanceof RangeError)) throw error;
    throw new TypeError(`This is not a cursor of this gateway: ${error.message}`, { cause: error });
  }
}

function comparisonOf(scope: string, given: Readonly<Record<string, string | undefined>>): string {
  const { account: accountId, ...bounds } = given;
  if (accountId === undefined) return ' (a hash of account, from and to; --account compares it)';
  return scopeOf({ accountId, ...bounds }) === scope
    ? ', which is the one given'
    : ', which is another one than given';
}

function describeRows({ fingerprints, ties, complete }: NamedRows): string {
  const others = complete ? 'no other row shares it' : 'more rows may share it';
  return `${fingerprints.length} named, ${ties} of them with the same createdAt; ${others}`;
}
