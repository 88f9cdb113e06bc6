# The image of Waymark: `docker compose -f deploy/compose.yaml up --build`, or built alone with this folder as its context.
#
# tests/nodes/dockerfile.test.ts does what stands here in a clean folder and starts the result, so keep to COPY and RUN,
# with relative paths in RUN.

# Debian's, since sharp brings glibc binaries. Newer than the Node in package-lock.json where that has known faults.
ARG NODE_IMAGE=node:26.12.1-trixie-slim

FROM ${NODE_IMAGE} AS web
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The optional ones are Node itself, 200 MB for machines with an older one; what else is locked stays locked.
RUN npm pkg delete optionalDependencies && npm ci
COPY tsconfig.json ./
COPY web web
COPY client client
COPY scripts scripts
COPY src src
COPY docs docs
RUN node scripts/build-web.ts

FROM ${NODE_IMAGE} AS libraries
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm pkg delete optionalDependencies && npm ci --omit=dev
RUN mkdir empty

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=libraries /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY cli cli
COPY client client
COPY scripts/build-web.ts scripts/build-web.ts
COPY src src
COPY docs/supply-chain docs/supply-chain
COPY deploy/health.cjs deploy/health.cjs
# Without web/ beside it nothing is built at the start: this is what is served.
COPY --from=web /build/dist/web dist/web
COPY --from=libraries --chown=10001:10001 --chmod=700 /app/empty /data

ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=8080
ENV DATA_DIR=/data
# All that is written is in /data, and in /tmp, which may be memory: the root may be read-only.
VOLUME /data
# A number, so that Kubernetes can tell that it is not root.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/health.cjs"]
ENTRYPOINT ["node", "bin/waymark.cjs"]
CMD ["serve"]
