// Which room may import which package.

/** Packages that only one room may import, so that only one place changes when a package is replaced. */
export const keepers: Readonly<Record<string, RegExp>> = {
  sharp: /^src\/imaging\/decoder\.ts$/,
  'libheif-js': /^src\/imaging\/formats\/heif\/hevc-decoder\.ts$/,
  saxes: /^src\/(shared|imaging)\//,
  jose: /^src\/auth\/issuers\/trusted-issuers\.ts$/,
  '@simplewebauthn/server': /^src\/auth\/passkeys\/passkey-ceremonies\.ts$/,
  'oidc-provider': /^src\/auth\/oauth\//,
  'ipaddr.js': /^src\/events\/webhooks\/addresses\.ts$/,
  'node:sqlite': /^src\/database\/sqlite\//,
  '@maplibre/geojson-vt': /^src\/maps\/line-layer\.ts$/,
  '@maplibre/vt-pbf': /^src\/maps\/layer\.ts$/,
  yauzl: /^src\/operations\/backup\/zip-reader\.ts$/,
  pino: /^src\/http\/logs\/log\.ts$/,
  nodemailer: /^src\/mail\//,
  'geographiclib-geodesic':
    /^src\/shared\/geo\/(measures|along)\.ts$|^src\/account-routes\/zones\/zone-circle\.ts$/,
  '@fastify/busboy': /^src\/http\/bodies\/multipart\.ts$/,
  croner: /^src\/settings\/backup-settings\.ts$/,
  commander: /^cli\//,
  'csv-parse': /^src\/trails\/trails-csv\.ts$/,
  'prom-client': /^src\/metrics\/registry\.ts$/,
  'lru-cache': /^src\/shared\/bounded-cache\.ts$/,
  pg: /^src\/database\/postgres\//,
  '@aws-sdk/client-s3': /^src\/storage\/s3-/,
  '@opentelemetry/api': /^src\/tracing\//,
  '@opentelemetry/otlp-transformer': /^src\/tracing\/exporter\.ts$/,
  '@opentelemetry/resources': /^src\/tracing\//,
  '@opentelemetry/semantic-conventions': /^src\/tracing\//,
  '@opentelemetry/sdk-trace': /^src\/tracing\//,
  '@fastify/proxy-addr': /^src\/http\/connections\/proxied-address\.ts$/,
}
