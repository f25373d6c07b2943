// The pages that a browser sees if a sign-in does not succeed.
import type { Context } from 'hono';

/** What went wrong, and the status. Text for a customer: no detail of the failure. */
export const problems = {
  unavailable: {
    status: 503,
    title: 'Sign-in is not available right now',
    text: 'Nothing is lost. Please try again in a moment.',
  },
  refused: {
    status: 400,
    title: 'The sign-in was not completed',
    text: 'It was cancelled, took too long, or was started in another window.',
  },
  unknown: {
    status: 404,
    title: 'This institution is unknown',
    text: 'Please go back to the app and choose your institution.',
  },
} as const;

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A page without scripts, with a link that leads on. `href` is an address of this application. */
export function problemPage(context: Context, name: keyof typeof problems, href: string) {
  const { status, title, text } = problems[name];
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      body { max-width: 30rem; margin: 15vh auto; padding: 0 1.25rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="${href}">Try again</a></p>
    </main>
  </body>
</html>
`;
  return context.html(page, status, headers);
}
