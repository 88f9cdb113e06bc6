// Parses PromQL expressions only for metrics and for labels that are matched or grouped by.

export interface Used {
  readonly metric: string
  readonly labels: readonly string[]
}

const functions = new Set(
  (
    'sum max min avg count by without rate increase time histogram_quantile predict_linear label_values and or unless on ' +
    'ignoring abs clamp_min topk bool offset'
  ).split(' '),
)
/** Of Prometheus itself, on every series. */
const ofPrometheus = ['job', 'instance']

/** Grafana's texts and variables say nothing about metrics. */
const plain = (expression: string): string =>
  expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\$__\w+|\$\w+/g, '1')

export function isBalanced(expression: string): boolean {
  const open: string[] = []
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
  for (const sign of plain(expression)) {
    if ('([{'.includes(sign)) open.push(sign)
    const partner = pairs[sign]
    if (partner !== undefined && open.pop() !== partner) return false
  }
  return open.length === 0 && (expression.match(/"/g)?.length ?? 0) % 2 === 0
}

/** Each metric of an expression; labels in `by` count for every metric. */
export function metricsIn(expression: string): Used[] {
  const text = plain(expression)
  const grouped = [...text.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  )
  const bare = text
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/label_values\(([^,]*),[^)]*\)/g, '$1')
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?/g)]
    .filter(([, name = '', matchers]) => matchers !== undefined || !functions.has(name))
    .filter(([whole]) => !/^e\d*$/.test(whole))
    .map(([, metric = '', matchers = '']) => ({
      metric,
      labels: [
        ...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
        ...grouped,
      ],
    }))
}

export interface Metric {
  readonly type: string
  readonly labels: readonly string[]
}

/** The table of docs/metrics.md. */
export function readMetrics(page: string): Map<string, Metric> {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm)]
  return new Map(
    rows.map(([, name = '', type = '', labels = '']) => [
      name,
      {
        type,
        labels: labels
          .split(',')
          .map((label) => label.trim())
          .filter((label) => label !== ''),
      },
    ]),
  )
}

/** @param others metrics without our labels, from Prometheus and its library. */
export function expressionFaults(
  expression: string,
  metrics: ReadonlyMap<string, Metric>,
  others: ReadonlySet<string>,
): string[] {
  if (!isBalanced(expression)) return [`is not balanced: ${expression}`]
  const used = metricsIn(expression)
  if (used.length === 0) return [`names no metric: ${expression}`]
  return used.flatMap(({ metric, labels }) => {
    const [, base = metric, part] = /^(.*)_(bucket|sum|count)$/.exec(metric) ?? []
    const known =
      metrics.get(metric) ?? (metrics.get(base)?.type === 'histogram' ? metrics.get(base) : undefined)
    const strange = known === undefined && !others.has(metric)
    if (strange) return [`names ${metric}, which is no metric`]
    const may = new Set([...ofPrometheus, ...(known?.labels ?? []), ...(part === 'bucket' ? ['le'] : [])])
    const wrong = labels.filter((label) => !may.has(label)).map((label) => `asks ${metric} for ${label}`)
    const isCounter = known?.type === 'counter' || part !== undefined
    const isRated = new RegExp(`\\b(?:rate|increase)\\(\\s*${metric}\\b`).test(plain(expression))
    return isCounter && !isRated ? wrong.concat(`takes the counter ${metric} as it is`) : wrong
  })
}
