# One image for everything: without arguments it is the whole platform on its own embedded database;
# with `main.ts gym`, `main.ts gateway` and so on it is that one server (see docker-compose.yml).
# Debian, not Alpine: the binaries of the embedded PostgreSQL need glibc.

FROM node:24.21-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has Node, so the packages with Node binaries are not needed. No package needs its install script.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.cache

FROM node:24.21-bookworm-slim
# NODE_ENV: in production the platform starts only if the operator has set certain variables; it names those that are missing.
# HOST: the loopback address of a container cannot be reached from outside.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json main.ts platform.ts ./
COPY scripts/healthcheck.mjs ./scripts/
COPY schema ./schema
COPY server ./server
COPY gateway ./gateway
COPY subgraphs ./subgraphs
# A new volume takes over the owner of the folder that it covers.
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3002 3003 3004 3005 3006 3007 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
ENTRYPOINT ["node"]
CMD ["main.ts"]
