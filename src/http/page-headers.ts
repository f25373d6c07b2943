// What a page of the gateway may do in a browser, and who may show it: the headers beside it.

/** Where Apollo Sandbox has its scripts, styles, pictures and the frame that it works in. */
const sandboxSources = {
  'style-src': 'https://fonts.googleapis.com',
  'font-src': 'https://fonts.gstatic.com',
  'img-src': 'https://apollo-server-landing-page.cdn.apollographql.com',
  'manifest-src': 'https://apollo-server-landing-page.cdn.apollographql.com',
  'frame-src': 'https://sandbox.embed.apollographql.com',
};

/** Nothing of the page itself is for anybody else. */
const ownOnly = { 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };

/** Not none: a browser would then send its requests to the gateway with "Origin: null". */
const referrerPolicy = { 'referrer-policy': 'same-origin' };

/**
 * Headers for GraphiQL's page and its files, which all come from here. Monaco writes the place of each word into a style
 * attribute, and its rules into style elements without a nonce; in scripts and workers nothing is evaluated.
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
 * Headers for Apollo Sandbox's page, which asks this gateway only. Apollo Server marks each of its scripts and styles
 * with a nonce and says so in the page itself; but who may show the page in a frame can be said in a header only.
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

/** Directive -> sources, as a header has them. */
function textOf(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map((entry) => entry.join(' '))
    .join('; ');
}
