// Security headers of the gateway's pages: what they may load, and who may frame them.

/** The origins of Apollo Sandbox's styles, fonts, pictures and frame. */
const sandboxSources = {
  'style-src': 'https://fonts.googleapis.com',
  'font-src': 'https://fonts.gstatic.com',
  'img-src': 'https://apollo-server-landing-page.cdn.apollographql.com',
  'manifest-src': 'https://apollo-server-landing-page.cdn.apollographql.com',
  'frame-src': 'https://sandbox.embed.apollographql.com',
};

/** The page cannot be framed, and cannot change its base or send forms. */
const ownOnly = { 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };

/** With no-referrer, a browser would send requests to the gateway with "Origin: null". */
const referrerPolicy = { 'referrer-policy': 'same-origin' };

/**
 * Headers of GraphiQL's page and its files, all of which the gateway serves. Monaco needs style attributes and style
 * elements without a nonce; scripts and workers do not use eval.
 */
export const explorerPageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': textOf({
    'default-src': "'none'",
    'script-src': "'self'",
    'worker-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'font-src': "'self' data:",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    ...ownOnly,
  }),
  ...referrerPolicy,
};

/**
 * Headers of Apollo Sandbox's page, which sends requests only to this gateway. Apollo Server's page has a policy with
 * nonces for its scripts and styles, but only a header can restrict framing.
 */
export function sandboxPageHeaders(page: string): Record<string, string> {
  const nonce = /'nonce-[\w+/=-]+'/.exec(page)?.[0] ?? "'none'";
  const { 'style-src': styles, ...others } = sandboxSources;
  const policy = {
    'default-src': "'none'",
    'script-src': nonce,
    'style-src': `${nonce} ${styles}`,
    ...others,
    'connect-src': "'self'",
    ...ownOnly,
  };
  return { 'content-security-policy': textOf(policy), ...referrerPolicy };
}

/** Serializes directives and their sources as a header value. */
function textOf(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map((entry) => entry.join(' '))
    .join('; ');
}
