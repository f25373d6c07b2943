// Whether a request comes from the app itself (cross-site request forgery).

/** The header that only scripts of the app's own origin can set without a preflight, which is never answered. */
const csrfHeader = 'x-csrf';

/** Requires the header, and that the browser names the app as the origin. */
export function isFromApp(header: HeaderReader, origin: string): boolean {
  const site = header('sec-fetch-site') ?? 'same-origin';
  return header(csrfHeader) !== undefined && header('origin') === origin && site === 'same-origin';
}

/** The value of a header by its name in lower case. */
type HeaderReader = (name: string) => string | string[] | undefined;
