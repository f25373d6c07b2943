// The callers of the soak test, with tokens of an issuer that rotates its keys.
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { createSigner, type Signer, signToken } from '../../test/support/tokens.ts';

/** The two headers that identify a caller. */
export interface CallerHeaders extends Readonly<Record<string, string>> {
  readonly authorization: string;
  readonly 'x-tenant-id': string;
}

export interface SoakCaller {
  readonly accounts: readonly string[];
  /** The headers, with a token signed by the issuer's current key. */
  headers(): CallerHeaders;
}

export interface Issuer {
  readonly callers: readonly SoakCaller[];
  /** The published keys. */
  keys(): readonly Signer[];
  /** The headers of a caller, with a token signed by a key that was never published. */
  forgedHeaders(): CallerHeaders;
  /** Publishes the next key in addition to the current one. */
  readonly announce: () => void;
  /** Begins to sign with the next key. */
  readonly change: () => void;
  /** Withdraws all keys except the current one. */
  readonly withdraw: () => void;
}

/** The number of tokens per holder: several, to test that the gateway keeps callers apart. */
const tokensEach = 3;

/**
 * Creates an issuer of tokens for the bank's holders. The bank accepts these tokens, because it does not verify
 * signatures.
 */
export async function createIssuer(bank: Bank): Promise<Issuer> {
  let count = 0;
  const nextSigner = () => createSigner('ES256', `key ${count++}`);
  const stranger = createSigner('ES256', 'a key of nobody');
  let present = nextSigner();
  let published = [present];
  const claims = await Promise.all(
    bank.holders.map(async ({ id, tenant, accounts }) => {
      const [, payload = ''] = (await bank.tokenFor({ id, tenant })).split('.');
      const text = Buffer.from(payload, 'base64url').toString();
      return { tenant, accounts, claims: JSON.parse(text) as Record<string, unknown> };
    }),
  );
  const headersOf = (signer: Signer, tenant: string, payload: Record<string, unknown>) => ({
    authorization: `Bearer ${signToken(signer, payload)}`,
    'x-tenant-id': tenant,
  });
  const callers = Array.from({ length: tokensEach }, (_, nth) =>
    claims.map(({ tenant, accounts, claims: shared }): SoakCaller => {
      const payload = { ...shared, jti: String(nth) };
      let known = { signer: present, headers: headersOf(present, tenant, payload) };
      return {
        accounts,
        headers() {
          if (known.signer !== present) {
            known = { signer: present, headers: headersOf(present, tenant, payload) };
          }
          return known.headers;
        },
      };
    }),
  ).flat();
  return {
    callers,
    keys: () => published,
    forgedHeaders() {
      const [holder] = claims;
      return headersOf(stranger, holder?.tenant ?? '', holder?.claims ?? {});
    },
    announce: () => published.push(nextSigner()),
    change() {
      present = published.at(-1) ?? present;
    },
    withdraw() {
      published = [present];
    },
  };
}
