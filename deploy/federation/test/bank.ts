// Controls the sandbox bank of another process over HTTP (docs/sandbox.md).

export interface Holder {
  readonly id: string;
  readonly kind: 'PERSON' | 'COMPANY';
  readonly tenant: string;
  readonly token: string;
  readonly accounts: readonly { readonly id: string }[];
}

/** A request that the bank received. */
export interface Call {
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A holder to add; omitted fields are generated. */
export interface NewHolder {
  readonly kind: Holder['kind'];
  readonly tenant: string;
  readonly accounts: readonly { readonly transactions: number }[];
}

export interface BankControl {
  addHolder(holder: NewHolder): Promise<{ readonly id: string }>;
  holders(): Promise<readonly Holder[]>;
  calls(): Promise<readonly Call[]>;
  forgetCalls(): Promise<void>;
  addFault(fault: unknown): Promise<void>;
  configure(behaviour: { readonly latencyMs: number }): Promise<void>;
  reset(): Promise<void>;
}

export function controlBank(url: string): BankControl {
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(url + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    holders: async () => ((await send('GET', '/')) as { holders: Holder[] }).holders,
    addHolder: async (holder) => (await send('POST', '/holders', holder)) as { id: string },
    calls: async () => {
      const calls = (await send('GET', '/calls')) as { calls: Call[] } | Call[];
      return Array.isArray(calls) ? calls : calls.calls;
    },
    forgetCalls: async () => {
      await send('DELETE', '/calls');
    },
    addFault: async (fault) => {
      await send('POST', '/faults', fault);
    },
    configure: async (behaviour) => {
      await send('PATCH', '/behaviour', behaviour);
    },
    reset: async () => {
      await send('POST', '/reset');
    },
  };
}
