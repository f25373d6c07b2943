// Real databases, each with its own data folder and socket: PostgreSQL and MariaDB as Debian packages them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';

export type DatabaseRow = Readonly<Record<string, unknown>>;

/** A running database. Each statement is a transaction of its own and sees what was committed before. */
export interface Database extends AsyncDisposable {
  readonly name: 'PostgreSQL' | 'MariaDB';
  run(sql: string): Promise<readonly DatabaseRow[]>;
}

/** Where Debian's packages `postgresql` and `mariadb-server` put their programs. */
const [postgresFolder, mariadb] = ['/usr/lib/postgresql', '/usr/sbin/mariadbd'];

const inCi = process.env['CI'] !== undefined;

/** Whether tests that need a database run: always in CI, and otherwise if it is installed. */
export const hasDatabase = {
  PostgreSQL: existsSync(postgresFolder) || inCi,
  MariaDB: existsSync(mariadb) || inCi,
};

export const startDatabase: Readonly<Record<Database['name'], () => Promise<Database>>> = {
  PostgreSQL: startPostgres,
  MariaDB: startMariaDb,
};

async function startPostgres(): Promise<Database> {
  const version = readdirSync(postgresFolder).toSorted().at(-1) ?? '';
  const program = (name: string) => join(postgresFolder, version, 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  // PostgreSQL refuses to run as root.
  const owner = userInfo().uid === 0 ? statSync('/var/lib/postgresql') : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const initial = ['--no-sync', '--auth=trust', '--username=postgres', '-D', data];
  const runsAs = owner === undefined ? {} : { uid: owner.uid, gid: owner.gid };
  await promisify(execFile)(program('initdb'), initial, { ...runsAs, cwd: folder });
  const options = ['-c', 'listen_addresses=', '-c', 'fsync=off'];
  const child = spawn(program('postgres'), ['-D', data, '-k', folder, ...options], {
    ...{ ...runsAs, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  await lineWith(child, 'ready to accept connections');
  const pool = new Pool({ host: folder, user: 'postgres', database: 'postgres', max: 8 });
  return {
    name: 'PostgreSQL',
    run: async (sql) => (await pool.query<DatabaseRow>(sql)).rows,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await end(child, folder);
    },
  };
}

async function startMariaDb(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'));
  const [data, socketPath] = [join(folder, 'data'), join(folder, 'socket')];
  const common = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${data}`];
  await promisify(execFile)('mariadb-install-db', [
    ...[...common, '--auth-root-authentication-method=normal', '--skip-test-db'],
  ]);
  const options = [
    `--socket=${socketPath}`,
    '--skip-networking',
    '--innodb-flush-log-at-trx-commit=0',
  ];
  const child = spawn(mariadb, [...common, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  await lineWith(child, 'ready for connections');
  const pool = createPool({ socketPath, user: 'root', connectionLimit: 8 });
  await pool.query('create database statements');
  await pool.end();
  const database = createPool({
    ...{ socketPath, user: 'root', database: 'statements', connectionLimit: 8 },
  });
  return {
    name: 'MariaDB',
    async run(sql) {
      const [rows] = await database.query(sql);
      return Array.isArray(rows) ? (rows as DatabaseRow[]) : [];
    },
    async [Symbol.asyncDispose]() {
      await database.end();
      await end(child, folder);
    },
  };
}

/** Waits for a line of the error output; rejects if the process ends before. */
async function lineWith({ stderr }: ChildProcess, text: string): Promise<void> {
  if (stderr === null) throw new Error('the error output is not a pipe');
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    lines.push(line);
    if (!line.includes(text)) continue;
    stderr.resume();
    return;
  }
  throw new Error(`the database does not start:\n${lines.join('\n')}`);
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    // For PostgreSQL, an immediate shutdown that ends the processes of all connections too.
    child.kill('SIGQUIT');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
}
