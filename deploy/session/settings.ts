// The settings: environment variables, checked at start. README.md describes them.

/** An OpenID provider and this application's client there. */
export interface Issuer {
  /** The value of x-tenant-id for customers who sign in here. */
  readonly tenant: string;
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** The API that access tokens are for (RFC 8707); null if the issuer needs no such parameter. */
  readonly resource: string | null;
}

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** The origin of the app, as browsers see it. */
  readonly origin: string;
  readonly gatewayUrl: URL;
  /** Keys for sealing, the current one first. */
  readonly secrets: readonly string[];
  /** Null: sessions are in the memory of this process. */
  readonly redisUrl: string | null;
  readonly issuers: readonly Issuer[];
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}

/** Thrown with one line for each wrong setting. */
export class SettingsError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a SettingsError that lists all wrong settings. */
export function parseSettings(env: Environment): Settings {
  const wrong: string[] = [];
  const read = <Value>(name: string, parse: (text: string | undefined) => Value): Value => {
    try {
      return parse(env[name]);
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`);
      return undefined as Value;
    }
  };
  const isProduction = env['NODE_ENV'] === 'production';
  const settings = {
    port: read('PORT', wholeNumber(3000, 0, 65_535)),
    host: read('HOST', (text = '127.0.0.1') => text),
    origin: read('APP_ORIGIN', parseOrigin),
    gatewayUrl: read('GATEWAY_URL', parseHttpUrl),
    secrets: read('SESSION_SECRETS', parseSecrets),
    redisUrl: read('REDIS_URL', (text) => parseRedisUrl(text, isProduction)),
    issuers: read('ISSUERS', parseIssuers),
    idleSeconds: 60 * read('IDLE_MINUTES', wholeNumber(15, 1, 1440)),
    absoluteSeconds: 3600 * read('ABSOLUTE_HOURS', wholeNumber(12, 1, 720)),
  };
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return settings;
}

function wholeNumber(byDefault: number, min: number, max: number) {
  return (text = String(byDefault)): number => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };
}

function required(text: string | undefined): string {
  if (text === undefined || text === '') throw new Error('is missing');
  return text;
}

function parseHttpUrl(text: string | undefined): URL {
  const url = URL.parse(required(text));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http(s) URL');
  return url;
}

/** Without TLS, cookies and codes could be read on the way. */
function parseSafeUrl(text: string | undefined): URL {
  const url = parseHttpUrl(text);
  if (url.protocol === 'https:' || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
    return url;
  throw new Error('must begin with https://, except on localhost');
}

function parseOrigin(text: string | undefined): string {
  const { origin, href } = parseSafeUrl(text);
  if (href !== `${origin}/`) throw new Error('must be an origin, without a path');
  return origin;
}

function parseSecrets(text: string | undefined): string[] {
  const secrets = required(text).split(',');
  if (secrets.every((secret) => secret.length >= 32)) return secrets;
  throw new Error('must be keys of at least 32 characters, separated by commas');
}

function parseRedisUrl(text: string | undefined, isProduction: boolean): string | null {
  if (text === undefined || text === '') {
    if (isProduction) throw new Error('is missing: in production, sessions are in Redis');
    return null;
  }
  if (!/^rediss?:$/.test(URL.parse(text)?.protocol ?? '')) throw new Error('must be a redis URL');
  return text;
}

function parseIssuers(text: string | undefined): Issuer[] {
  const given = parseJson(required(text));
  if (!Array.isArray(given) || given.length === 0) throw new Error('must be a JSON list');
  const issuers = given.map((issuer, index) => parseIssuer(issuer, `number ${index + 1}: `));
  const tenants = new Set(issuers.map(({ tenant }) => tenant));
  if (tenants.size < issuers.length) throw new Error('has a tenant twice');
  return issuers;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would repeat the text, and with it a client's secret.
    throw new Error('is not JSON');
  }
}

function parseIssuer(given: unknown, place: string): Issuer {
  const text = (name: string, byDefault?: string): string => {
    const value = (given as Readonly<Record<string, unknown>> | null)?.[name] ?? byDefault;
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`${place}${name} must be a text`);
  };
  const tenant = text('tenant');
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(tenant)) throw new Error(`${place}tenant is invalid`);
  return {
    tenant,
    issuer: parseSafeUrl(text('issuer')),
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    scope: text('scope', 'openid offline_access'),
    resource: text('resource', ' ').trim() || null,
  };
}
