// Security headers of the explorers' pages: the sources that a page may load, and a ban on framing.

/** For GraphiQL's page and files. Monaco needs inline styles without a nonce; no script or worker uses eval. */
export const explorerPageHeaders = headersFor([
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
]);

/** For Apollo Sandbox's page. The page contains a policy with nonces, but only a header can forbid framing. */
export function sandboxPageHeaders(page: string): Record<string, string> {
  const nonce = /'nonce-[\w+/=-]+'/.exec(page)?.[0] ?? "'none'";
  return headersFor([
    `script-src ${nonce}`,
    `style-src ${nonce} https://fonts.googleapis.com`,
    'font-src https://fonts.gstatic.com',
    'img-src https://apollo-server-landing-page.cdn.apollographql.com',
    'manifest-src https://apollo-server-landing-page.cdn.apollographql.com',
    'frame-src https://sandbox.embed.apollographql.com',
  ]);
}

function headersFor(sources: readonly string[]): Record<string, string> {
  const always = "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    'content-security-policy': ["default-src 'none'", ...sources, always].join('; '),
    // With no-referrer, a browser would send requests to the gateway with "Origin: null".
    'referrer-policy': 'same-origin',
  };
}
