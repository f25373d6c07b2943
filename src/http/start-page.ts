// The page at /, for somebody who opens the gateway's address in a browser: links to both explorers.

export const startPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>account-bff</title>
    <link rel="icon" href="data:," />
    <style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      body { max-width: 40rem; margin: 10vh auto; padding: 0 1.25rem; }
      dt { margin-top: 1.25rem; font-size: 1.25rem; }
      dd { margin: 0; }
    </style>
  </head>
  <body>
    <main>
      <h1>account-bff</h1>
      <p>A GraphQL gateway. Apps send operations to <code>POST /graphql</code>. To try one here:</p>
      <dl>
        <dt><a href="/explorer">GraphiQL</a></dt>
        <dd>Served by the gateway itself; works without internet access.</dd>
        <dt><a href="/graphql">Apollo Sandbox</a></dt>
        <dd>Loaded from the internet.</dd>
      </dl>
    </main>
  </body>
</html>
`;
