// What each setting means, for `account-bff --help`. In docs/settings.md, each meaning begins with these words.

export const meanings = {
  port: "the port of the clients' listener, which serves /graphql; 0 selects any free port",
  host: "the address of the clients' listener",
  adminPort: "the port of the operators' listener: /health/live, /health/ready, /metrics",
  adminHost: "the address of the operators' listener",

  upstreamUrl: 'the base address of the account service, which may include a path',
  upstreamPageBase: "the number of the service's first page",
  upstreamTimeoutMs:
    'the timeout of each attempt of a call, up to the last byte of the answer, including the wait for a connection',
  upstreamRetries: 'the number of retries after a connection error, 502 or 503',
  upstreamMaxBodyBytes: 'the maximum size of an answer',
  upstreamConnections: 'the maximum number of connections to the service; further calls wait',
  upstreamCa: 'the path of the file with the authorities to trust beside those of Node.js',
  upstreamCert: 'the path of the file with the client certificate that the service asks for (mTLS)',
  upstreamKey: 'the path of the file with the key of UPSTREAM_CERT',
  upstreamTimeZone: 'the time zone of timestamps that name none',
  upstreamEndDate: 'whether the service includes the day endDate',
  nodeUseEnvProxy:
    '1: the service and the key set are requested through the proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY',

  operationTimeoutMs:
    'the timeout of one operation: fields that are not ready by then fail with UPSTREAM_TIMEOUT',
  maxUpstreamCalls: 'the maximum number of calls for one operation, not counting retries',
  maxParallelReads:
    'the maximum number of pages that one operation reads from the service at the same time',
  maxRepresentations:
    'the maximum number of references in all _entities fields of one operation together',
  maxDepth: 'the maximum depth of nested fields',
  maxAliases: 'the maximum number of aliases in one operation',
  maxTokens: 'the maximum number of lexical tokens in an operation text',
  maxBodyBytes: 'the maximum size of the body of a POST',

  jwtJwksUrl: 'the key set that tokens are verified against; if not set, tokens are only decoded',
  jwtIssuer: 'the required value of iss; effective only with JWT_JWKS_URL',
  jwtAudience: 'the value that aud must equal or contain; effective only with JWT_JWKS_URL',
  jwtAlgorithms: 'the accepted signature algorithms; effective only with JWT_JWKS_URL',
  jwtEntityTypeClaim: 'the claim that contains PERSON or COMPANY',
  jwtTenantClaim:
    'the claim that x-tenant-id must equal; otherwise the request fails with FORBIDDEN',

  corsOrigins: 'the origins whose web pages may send requests, compared exactly',
  explorer:
    'whether browsers get GraphiQL at /explorer, and Apollo Sandbox, which is loaded from the internet, at /graphql',
  introspection: 'whether __schema, __type and _service are answered',
  routerSecret: 'the secret that _entities and _service need in x-router-secret',
  operationsManifest: 'an Apollo persisted-query manifest, reloaded when it changes',
  operationsOnly: 'whether operations that are not in the manifest are refused',
  redisUrl: 'the Redis in which replicas share rate limits and persisted queries',
  rateLimitPerMinute:
    'the maximum number of operations per minute for one token, in all tenants together; 0 means no limit',
  clients: 'the apps and versions that appear by name in metrics and log',

  shutdownDelayMs:
    'the time after SIGTERM or SIGINT for which requests are still served while /health/ready answers 503',
  shutdownGraceMs: 'the maximum time after that for completing requests in progress',
  otelExporterOtlpEndpoint: 'the collector for traces, which are sent to its /v1/traces',
  otelSemconvStabilityOptIn:
    'if the list contains graphql_latest_experimental, spans follow the GraphQL conventions that are not stable yet',
  logLevel: 'the least severe level that is logged',
  executor:
    'how operations are executed: compiled into functions, with graphql-js as the fallback, or by graphql-js alone',
};
