# The gateway's image: Node.js runs src/ as it stands, so that there is a stage for dependencies and none for a build.
# deploy/image/test.sh builds it and runs it; docs/deployment.md says how to.

# The version is the one that package-lock.json has for `node`. Renovate adds the digest and moves both.
FROM docker.io/library/node:24.21.0-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# Nothing that production needs has a script of its own to run.
RUN ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-update-notifier"]

FROM base AS gateway
# A cache is for one user of the system: it is filled by the one that the gateway runs as.
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 NODE_COMPILE_CACHE=/app/.compile-cache
# In a container of 512 MiB V8 would give young objects 1 MiB, and collect them all the time: docs/performance.md.
ENV NODE_OPTIONS=--max-semi-space-size=32
# Each of Node.js's threads would keep freed memory of its own: a tenth of the whole, for nothing.
ENV MALLOC_ARENA_MAX=1
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY schema schema
COPY explorer/built explorer/built
COPY src src
COPY deploy/image/healthcheck.ts deploy/image/warm-up.ts deploy/image/
RUN ["install", "--directory", "--owner=node", ".compile-cache"]
USER node
# Starts the gateway over the sandbox bank, asks it something, stops it: what it compiles for that is kept.
RUN ["node", "deploy/image/warm-up.ts"]

# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "deploy/image/healthcheck.ts"]
ENTRYPOINT ["node", "src/cli.ts"]
