# The gateway's image. Node.js runs src/ unchanged, so there is a stage for dependencies but none for a build.
# deploy/image/test.sh builds and tests it; docs/deployment.md describes its use.

# The version of `node` in package-lock.json. Renovate adds the digest and updates both.
FROM docker.io/library/node:24.21.0-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# No production dependency needs an install script.
RUN ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-update-notifier"]
# npm installs TypeScript, a third of the total, because valibot has it as an optional peer. Nothing loads it at run time.
RUN ["rm", "-r", "node_modules/typescript", "node_modules/.bin/tsc", "node_modules/.bin/tsserver"]

FROM base AS gateway
# The compile cache is valid for one system user, so it is filled as the user that runs the gateway.
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 NODE_COMPILE_CACHE=/app/.compile-cache
# Otherwise each thread of Node.js would retain freed memory: a tenth of the total.
ENV MALLOC_ARENA_MAX=1
# Otherwise, the memory of large buffers is retained when they are freed: docs/performance.md.
ENV MALLOC_TRIM_THRESHOLD_=4194304
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY schema schema
COPY explorer/built explorer/built
COPY src src
COPY deploy/image/healthcheck.ts deploy/image/warm-up.ts deploy/image/
RUN ["install", "--directory", "--owner=node", ".compile-cache"]
USER node
# Fills the compile cache: starts the gateway with the sandbox bank, queries it, and stops it. A fixed seed of hashes, and
# no collection that would leave traces in unused bytes of strings, make it the same in each build. The cache is valid for
# one set of V8 flags; those of memory and seeds are not among them.
RUN ["node", "--random-seed=1", "--min-semi-space-size=256", "--max-semi-space-size=256", "deploy/image/warm-up.ts"]

# The user is a number, so that Kubernetes can check that it is not root.
USER 1000:1000
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "deploy/image/healthcheck.ts"]
# Node.js's permission model: the process reads only its own files and those mounted at /etc/account-bff, starts no other
# program and loads no native code. Without the right to write to it, Node.js would not read its compile cache either.
# --max-semi-space-size is the same as in `npm start`. In a container of 512 MiB, V8 would otherwise give young objects only 1 MiB, and collect
# garbage all the time: docs/performance.md.
ENTRYPOINT ["node", "--permission", "--allow-fs-read=/app/*", "--allow-fs-read=/etc/account-bff/*", \
  "--allow-fs-write=/app/.compile-cache/*", "--max-semi-space-size=32", "src/cli.ts"]
