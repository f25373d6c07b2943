// The callers to choose from: the holders of the sandbox bank, which the gateway writes into the page.

/** A holder in one tenant; src/http/explorer.ts writes the list. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
  /** Ids of its accounts. */
  readonly accounts: readonly string[];
}

/** Used without a sandbox bank: placeholders in angle brackets, for the user to replace. */
const anyone: Caller = { name: '', tenant: '<tenant>', token: '<token>', accounts: [] };

/** Returns at least one caller. */
export function readCallers(): readonly [Caller, ...Caller[]] {
  const text = document.getElementById('callers')?.textContent ?? '[]';
  const [first = anyone, ...others] = JSON.parse(text) as readonly Caller[];
  return [first, ...others];
}

/** The caller's headers, as text for GraphiQL's headers editor. */
export function headersOf({ token, tenant }: Caller): string {
  return jsonOf({ authorization: `Bearer ${token}`, 'x-tenant-id': tenant });
}

/** JSON with line breaks and indentation. */
export function jsonOf(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value, null, 2);
}
