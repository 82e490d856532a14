# One image for the api, the worker and the carat command; the service's command selects one.
FROM node:24.21.0-bookworm-slim AS packages

ENV NODE_ENV=production
WORKDIR /app

# The packages change less often than the sources, so they have their own layer.
COPY package.json package-lock.json ./
COPY scripts/prune-packages.ts scripts/
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force && node scripts/prune-packages.ts node_modules

# The development chain. Its anvil is a development package.
FROM packages AS devchain

RUN npm ci --include=dev --no-audit --no-fund && npm cache clean --force
COPY . .
# A new volume inherits this folder's owner.
RUN mkdir /chain && chown node:node /chain

USER node
ENTRYPOINT ["node"]
CMD ["dev/stack/lone-chain.ts", "/chain"]

FROM packages AS carat

COPY . .
# Built here once instead of at each start of a worker.
RUN node scripts/bundle-workflows.ts /app/workflows.js
ENV CARAT_WORKFLOW_BUNDLE=/app/workflows.js

# By default glibc keeps freed memory per thread: a worker beside replays had 573 MiB, with two arenas 494 MiB.
ENV MALLOC_ARENA_MAX=2

USER node
ENTRYPOINT ["node"]
CMD ["api/server.ts"]
