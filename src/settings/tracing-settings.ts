// The settings of traces, under the names that OpenTelemetry gives them. Part of the table in config.ts.
import { oneOf, optionalText, setting, webUrl, wholeNumber, type Setting } from './setting-kinds.ts'

/** Plain letters, so that no odd name can pass for another in a certificate or a look-up (docs/supply-chain). */
export const isPlainHost = (hostname: string): boolean =>
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/.test(hostname)

function collectorUrl(value: string): string | undefined {
  if (value === '') return undefined
  const address = webUrl(value)
  if (!isPlainHost(new URL(address).hostname))
    throw new RangeError('must have a host of letters, digits, hyphens and dots, or an IP address')
  return address
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `key=value,key=value`, as a baggage header has it: values may be percent-encoded. */
function pairs(isKey: RegExp, isValue: RegExp, example: string) {
  return (value: string): Readonly<Record<string, string>> => {
    const found: [string, string][] = []
    for (const part of value.split(',').filter((text) => text.trim() !== '')) {
      const [key = '', ...rest] = part.split('=')
      const read = rest.length === 0 ? undefined : decoded(rest.join('=').trim())
      if (read === undefined || !isKey.test(key.trim()) || !isValue.test(read))
        throw new RangeError(`must list pairs such as ${example}`)
      found.push([key.trim(), read])
    }
    return Object.fromEntries(found)
  }
}

const attributes = pairs(
  /^[^\s"\\]{1,256}$/,
  /^\P{C}*$/u,
  'service.instance.id=node-1,service.namespace=trails',
)
const headers = pairs(/^[\w!#$%&'*+.^`|~-]+$/, /^[\x20-\x7e]*$/, 'authorization=Bearer%20token')

/** A header may hold a key: its name alone is printed. */
const withoutValues = (value: string): string =>
  value
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => `${part.split('=', 1)[0]?.trim()}=…`)
    .join(',')

/** A setting whose text may hold secrets. */
const headerSetting = (variable: string, standard: Setting<unknown>['standard'], help: string) => ({
  ...setting(variable, standard, help, headers),
  show: withoutValues,
})

function share(value: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number > 1) throw new RangeError('must be a number from 0 to 1')
  return number
}

const tracesBelow = (endpoint: string): string =>
  endpoint === '' ? '' : `${endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint}/v1/traces`

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const tracingSettings = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    'OpenTelemetry collector (OTLP over HTTP) to send traces to, such as http://127.0.0.1:4318; without one, tracing is off (see operations.md).',
    collectorUrl,
  ),
  tracesEndpoint: setting(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    (lookup) => tracesBelow(lookup('OTEL_EXPORTER_OTLP_ENDPOINT')),
    'Full URL for traces, if different.',
    collectorUrl,
  ),
  otlpHeaders: headerSetting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    () => '',
    'Headers to send to the collector, as name=value,name=value.',
  ),
  tracesHeaders: headerSetting(
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    (lookup) => lookup('OTEL_EXPORTER_OTLP_HEADERS'),
    'Headers for traces, if different.',
  ),
  otlpProtocol: setting(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'http/protobuf',
    'Encoding of traces: http/protobuf or http/json.',
    oneOf(['http/protobuf', 'http/json']),
  ),
  otlpTimeoutMs: setting(
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    '10000',
    'Timeout in milliseconds for sending a batch of traces.',
    wholeNumber(1, 60_000),
  ),
  tracesExporter: setting(
    'OTEL_TRACES_EXPORTER',
    'otlp',
    'Where traces are sent: otlp (to the endpoint, if there is one) or none.',
    oneOf(['otlp', 'none']),
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    `Which requests are traced: ${samplers.join(', ')}.`,
    oneOf(samplers),
  ),
  tracesShare: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    'Fraction of requests to trace with a ratio-based sampler, from 0 to 1.',
    share,
  ),
  serviceName: setting(
    'OTEL_SERVICE_NAME',
    '',
    'Name of this service in traces; by default service.name of OTEL_RESOURCE_ATTRIBUTES, or waymark.',
    optionalText,
  ),
  resourceAttributes: setting(
    'OTEL_RESOURCE_ATTRIBUTES',
    '',
    'Resource attributes of this server in traces, such as service.instance.id=node-1.',
    attributes,
  ),
  sdkDisabled: setting(
    'OTEL_SDK_DISABLED',
    'false',
    'Turns tracing off if true, whatever else is set.',
    oneOf(['true', 'false']),
  ),
}
