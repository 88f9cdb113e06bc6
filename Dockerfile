# The Waymark image. Build it with `docker compose -f deploy/compose.yaml up --build`, or alone with this folder as the context.
#
# tests/deploy/image.slow.own.test.ts builds this file with Buildah and runs the result. Builders differ: Buildah's COPY sets
# neither owner nor mode of a folder that it makes, so RUN makes /data.

# Debian, since sharp comes with glibc binaries. Newer than the Node in package-lock.json if that has known vulnerabilities.
ARG NODE_IMAGE=node:26.12.1-trixie-slim

FROM ${NODE_IMAGE} AS web
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The optional dependencies are Node itself (200 MB), for machines with an older one. All other packages stay locked.
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
# Without web/, the server builds nothing when it starts and serves this build.
COPY --from=web /build/dist/web dist/web
RUN ln -s /app/bin/waymark /usr/local/bin/waymark
RUN install --directory --owner=10001 --group=10001 --mode=700 /data

ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=8080
ENV DATA_DIR=/data
# Only /data and /tmp (which may be in memory) are written to, so the root can be read-only.
VOLUME /data
# Numeric, so that Kubernetes can verify that it is not root.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/health.cjs"]
# "--", or Node would take --env-file for itself.
ENTRYPOINT ["node", "--", "bin/waymark.cjs"]
CMD ["serve"]
