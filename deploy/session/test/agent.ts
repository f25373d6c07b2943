// A browser's part in a test: keeps the cookies of each origin, and follows redirects one by one.

export interface Agent {
  /** Sends a request with the cookies of its origin, keeps those of the answer, and follows no redirect. */
  send(url: string | URL, init?: RequestInit): Promise<Response>;
  /** The value of a cookie; undefined if there is none. */
  cookie(origin: string, name: string): string | undefined;
  setCookie(origin: string, name: string, value: string): void;
  /** The `set-cookie` headers that were received. */
  readonly received: readonly string[];
}

export function createAgent(): Agent {
  const jars = new Map<string, Map<string, string>>();
  const received: string[] = [];
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  return {
    received,
    cookie: (origin, name) => jarOf(origin).get(name),
    setCookie: (origin, name, value) => void jarOf(origin).set(name, value),
    async send(url, init = {}) {
      const { origin } = new URL(url);
      const jar = jarOf(origin);
      const headers = new Headers(init.headers);
      if (jar.size > 0) headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '));
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        received.push(line);
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },
  };
}
