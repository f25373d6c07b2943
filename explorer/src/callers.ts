// Whom one can ask as: the holders of the sandbox bank, as the gateway wrote them into the page.

/** One holder within one tenant; src/http/explorer.ts writes them. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
  /** Ids of its accounts. */
  readonly accounts: readonly string[];
}

/** Stands in where there is no sandbox bank: what is in angle brackets is for the person at the page to fill in. */
const anyone: Caller = { name: '', tenant: '<tenant>', token: '<token>', accounts: [] };

/** At least one. */
export function readCallers(): readonly [Caller, ...Caller[]] {
  const text = document.getElementById('callers')?.textContent ?? '[]';
  const [first = anyone, ...others] = JSON.parse(text) as readonly Caller[];
  return [first, ...others];
}

/** The headers that say who asks, as GraphiQL's editor for them has them. */
export function headersOf({ token, tenant }: Caller): string {
  return jsonOf({ authorization: `Bearer ${token}`, 'x-tenant-id': tenant });
}

/** As one types it. */
export function jsonOf(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value, null, 2);
}
