// Runs a gateway process with a small heap, and measures the cost of attacks on it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Use } from '../../../bench/soak/probe.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { type Bank, startBank } from '../../../src/sandbox/bank.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../../support/measured-gateway.ts';
import { callerHeaders, firstHolder } from '../../support/query.ts';
import { openSocket, receiveAll } from '../../support/raw.ts';
import { type Attack, ordinaryAttacks, type Target } from './attack.ts';
import { requestsOf } from './requests.ts';

/** Averages over the requests of a series. */
export interface Cost {
  /** User and system time of the process. */
  readonly cpuMs: number;
  /** CPU time for each kilobyte of a request. */
  readonly cpuMsPerKb: number;
  /** Memory kept after garbage collection. */
  readonly keptBytes: number;
  readonly answeredBytes: number;
  /** Calls to the service. */
  readonly calls: number;
}

export const measures = ['cpuMs', 'cpuMsPerKb', 'keptBytes', 'answeredBytes', 'calls'] as const;

export interface Measured extends Cost {
  /** Status and code of the first answer; `ended` if the process died. */
  readonly outcome: string;
}

/** An ordinary operation that is parsed, validated and executed. */
const referenceAttack: Attack = {
  caller: 'good',
  selections: [{ name: 'accounts', children: [{ name: 'id' }, { name: 'balance' }] }],
  dials: { freshText: 1, requests: 8 },
};

/** An ordinary request that is refused: its token is missing. */
const refusedAttack: Attack = {
  caller: 'none',
  selections: [{ name: 'accounts', children: [{ name: 'id' }] }],
  dials: { requests: 32, pipelined: 32 },
};

/**
 * If the heap grows by less than this, the attack counts as keeping no memory, and no garbage collection is run to
 * measure the memory that it keeps.
 */
const noticeableBytes = 1_048_576;

/** If the answers on a connection take longer, the process is considered blocked and is killed. */
const maxSeriesMs = 60_000;

/** Starts a victim with production settings; `flags` are further flags of Node.js. */
export async function startVictim(flags: readonly string[] = []): Promise<Victim> {
  const bank = await startBank();
  const { authorization, 'x-tenant-id': tenant } = await callerHeaders(bank);
  const [accountId = ''] = firstHolder(bank).accounts;
  const target = { schema: createSchema(), authorization, tenant, accountId };
  const victim = new Victim(bank, target, flags);
  await victim.start();
  return victim;
}

export class Victim implements AsyncDisposable {
  readonly target: Target;
  readonly #bank: Bank;
  readonly #flags: readonly string[];
  #gateway: MeasuredGateway | null = null;
  #retained = 0;
  #series = 0;
  /** How many times the process has died. */
  deaths = 0;

  constructor(bank: Bank, target: Target, flags: readonly string[]) {
    this.#bank = bank;
    this.target = target;
    this.#flags = flags;
  }

  /** Starts the process, and sends ordinary requests so that V8 compiles their code. */
  async start(): Promise<void> {
    this.#gateway = await startMeasuredGateway(
      this.#bank.url,
      { UPSTREAM_TIMEOUT_MS: '2000' },
      this.#flags,
    );
    for (const attack of ordinaryAttacks(this.target.schema)) {
      await this.#send(this.#running, { ...attack, dials: { freshText: 1, requests: 4 } });
    }
    this.#retained = await this.retained();
  }

  /** Bytes in use after garbage collection. */
  retained(): Promise<number> {
    return this.#running.retained();
  }

  /**
   * Sends the series of an attack, and returns its cost; restarts the process if it dies. `keptBytes` is measured only
   * if garbage may be collected, and is otherwise infinite.
   */
  async measure(attack: Attack, mayCollect = true): Promise<Measured> {
    const gateway = this.#running;
    this.#bank.resetCalls();
    try {
      const before = await gateway.use();
      const { count, sentBytes, bytes, outcome } = await this.#send(gateway, attack);
      const after = await gateway.use();
      const cpuMs = after.cpuMs - before.cpuMs;
      const kept = mayCollect ? await this.#kept(after) : Infinity;
      return {
        outcome,
        cpuMs: cpuMs / count,
        cpuMsPerKb: (cpuMs / sentBytes) * 1024,
        keptBytes: kept / count,
        answeredBytes: bytes / count,
        calls: this.#bank.calls().length / count,
      };
    } catch (error) {
      if (await isRunning(gateway)) throw error;
      this.deaths++;
      await this.start();
      const endless = { cpuMs: Infinity, cpuMsPerKb: Infinity, keptBytes: Infinity };
      return { ...endless, outcome: 'ended', answeredBytes: 0, calls: 0 };
    }
  }

  /** The number of bytes that the process has kept since memory was last measured; 0 if the heap has hardly grown. */
  async #kept({ heapBytes }: Use): Promise<number> {
    // The early return avoids a garbage collection, which takes longer than most attacks.
    if (heapBytes - this.#retained < noticeableBytes) return 0;
    const before = this.#retained;
    this.#retained = await this.retained();
    return this.#retained - before;
  }

  /**
   * The minimum of several measurements, because a compilation or a garbage collection may slow one of them. Garbage is
   * collected only after the first and the last one: a forced collection makes V8 compile code again, which adds 1 to
   * 5 ms to each of the next ten requests or so.
   */
  async least(attack: Attack, times: number): Promise<Measured> {
    let least = await this.measure(attack);
    for (let left = times - 1; left > 0 && least.outcome !== 'ended'; left--) {
      const other = await this.measure(attack, false);
      const one = least;
      const min = (measure: keyof Cost) => [measure, Math.min(one[measure], other[measure])];
      least = { ...other, ...(Object.fromEntries(measures.map(min)) as unknown as Cost) };
    }
    if (times > 1 && least.outcome !== 'ended') this.#retained = await this.retained();
    return least;
  }

  /** CPU time of the reference operation in ms, which shows the current speed of this machine. */
  async reference(): Promise<number> {
    return (await this.least(referenceAttack, 10)).cpuMs;
  }

  /** CPU time of an ordinary refused request for each of its kilobytes, in ms. */
  async refusedRate(): Promise<number> {
    return (await this.least(refusedAttack, 5)).cpuMsPerKb;
  }

  get #running(): MeasuredGateway {
    if (this.#gateway === null) throw new Error('it was not started');
    return this.#gateway;
  }

  async #send(gateway: MeasuredGateway, attack: Attack) {
    const connections = requestsOf(attack, this.target, `s${this.#series++}`);
    let bytes = 0;
    let outcome = '';
    for (const requests of connections) {
      const received = await exchange(gateway, requests, attack.dials.waits ?? 0);
      bytes += received.length;
      outcome ||= outcomeOf(received);
    }
    const requests = connections.flat();
    const sentBytes = requests.reduce((sum, { length }) => sum + length, 0);
    return { count: requests.length, sentBytes, bytes, outcome };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway?.stop('SIGKILL');
    await this.#bank.close();
  }
}

function isRunning(gateway: MeasuredGateway): Promise<boolean> {
  const yes = () => true;
  const no = () => false;
  return gateway.use().then(yes, no);
}

/** Sends the requests of one connection with pauses between parts, and returns all bytes received. */
async function exchange(
  gateway: MeasuredGateway,
  requests: readonly Buffer[],
  waits: number,
): Promise<Buffer> {
  const socket = await openSocket(gateway);
  const timer = setTimeout(() => void gateway.stop('SIGKILL'), maxSeriesMs);
  const received = receiveAll(socket);
  const bytes = Buffer.concat(requests);
  const size = Math.ceil(bytes.length / (waits + 1));
  for (let at = 0; at < bytes.length && socket.writable; at += size) {
    if (at > 0) await sleep(2);
    socket.write(bytes.subarray(at, at + size));
  }
  const answer = await received;
  clearTimeout(timer);
  return answer;
}

function outcomeOf(received: Buffer): string {
  const head = received.subarray(0, 16_384).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 'no answer';
  const code = /"code":"(\w+)"/.exec(head)?.[1];
  return code === undefined ? status : `${status} ${code}`;
}
