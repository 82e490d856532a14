# One image for the api, the worker and the carat command; what runs is the command of the service.
FROM node:24.21.0-bookworm-slim AS packages

ENV NODE_ENV=production
WORKDIR /app

# The packages change more rarely than the sources, so they have a layer of their own.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

# The development chain. Its anvil is a development package.
FROM packages AS devchain

RUN npm ci --include=dev --no-audit --no-fund && npm cache clean --force
COPY . .
# A new volume takes over this folder's owner.
RUN mkdir /chain && chown node:node /chain

USER node
ENTRYPOINT ["node"]
CMD ["dev/stack/lone-chain.ts", "/chain"]

FROM packages AS carat

COPY . .
# Made once here, so that no worker has to when it starts.
RUN node scripts/bundle-workflows.ts /app/workflows.js
ENV CARAT_WORKFLOW_BUNDLE=/app/workflows.js

# glibc keeps freed memory for each of many threads otherwise: a worker beside replays had 573 MiB, with two arenas 494 MiB.
ENV MALLOC_ARENA_MAX=2

USER node
# Young objects get room to die before they are copied, which is a tenth of the work of a request.
ENTRYPOINT ["node", "--max-semi-space-size=32"]
CMD ["api/server.ts"]
