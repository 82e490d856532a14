# One image for the api, the worker and the carat command; what runs is the command of the service.
FROM node:20.20.2-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app

# The packages change more rarely than the sources, so they have a layer of their own.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

COPY . .
# Made once here, so that no worker has to when it starts.
RUN node --import tsx scripts/bundle-workflows.ts /app/workflows.js
ENV CARAT_WORKFLOW_BUNDLE=/app/workflows.js

USER node
# Young objects get room to die before they are copied, which is a tenth of the work of a request.
ENTRYPOINT ["node", "--max-semi-space-size=32", "--import", "tsx"]
CMD ["api/server.ts"]
