// The only file that uses the Prometheus client: counters, histograms, and gauges that are read at each scrape.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createQuickHistogram, type QuickHistogramOptions } from './quick-histogram.ts'

/** One metric, as the docs describe it. */
export interface MetricDescription {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

/** One number, or a number for each value of the metric's one label. */
export type Reading = number | Readonly<Record<string, number>>

/** A source that answers later than this is left out: a disk that hangs must not keep the other numbers back. */
const patienceMs = 2_000

async function inTime<T>(work: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error('the source of a metric is not responding')),
    patienceMs,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A separate registry, so that several servers in one process, as in tests, are independent. */
export function createRegistry() {
  const registry = new Registry()
  const registers = [registry]
  const described: MetricDescription[] = []

  function counter<Label extends string>(name: string, help: string, labels: readonly Label[] = []) {
    described.push({ name, type: 'counter', labels, help })
    return new Counter<Label>({ name, help, labelNames: labels, registers })
  }

  const failures = counter(
    'waymark_scrape_failures_total',
    'Metrics omitted from a scrape because their source failed or timed out.',
  )

  function fill(gauge: Gauge, label: string | undefined, reading: Reading): void {
    if (label !== undefined) gauge.reset()
    if (typeof reading === 'number') gauge.set(reading)
    else for (const [value, number] of Object.entries(reading)) gauge.set({ [label ?? '']: value }, number)
  }

  return {
    counter,

    /** A counter that something else maintains. */
    total: (name: string, help: string, read: () => number): void => {
      described.push({ name, type: 'counter', labels: [], help })
      const total = new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset()
          this.inc(read())
        },
      })
      registry.registerMetric(total)
    },

    histogram: <Label extends string>(
      name: string,
      help: string,
      options: { readonly labels: readonly Label[]; readonly buckets: readonly number[] },
    ) => {
      described.push({ name, type: 'histogram', labels: options.labels, help })
      return new Histogram<Label>({
        name,
        help,
        labelNames: options.labels,
        buckets: [...options.buckets],
        registers,
      })
    },

    /** One that is observed with every request. */
    quickHistogram: <Label extends string>(options: QuickHistogramOptions<Label>) => {
      const { name, help, labels } = options
      described.push({ name, type: 'histogram', labels, help })
      const histogram = createQuickHistogram(options)
      registry.registerMetric(histogram.metric as unknown as Histogram) // it uses nothing else of a metric
      return histogram
    },

    /**
     * @param read called at every scrape; if it fails, or returns no value for a metric without labels, the metric is
     * left out of that response.
     */
    gauge: (
      name: string,
      help: string,
      read: () => Reading | undefined | Promise<Reading | undefined>,
      label?: string,
    ): void => {
      const labels = label === undefined ? [] : [label]
      described.push({ name, type: 'gauge', labels, help })
      const gauge = new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [],
        async collect() {
          try {
            const reading = await inTime(read())
            if (reading === undefined) this.remove()
            else fill(this, label, reading)
          } catch {
            failures.inc()
            if (label === undefined) this.remove()
            else this.reset()
          }
        },
      })
      registry.registerMetric(gauge)
    },

    /** A constant that describes the program by its labels. */
    info: (name: string, help: string, labels: Readonly<Record<string, string>>): void => {
      described.push({ name, type: 'gauge', labels: Object.keys(labels), help })
      new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, 1)
    },

    /** process_… and nodejs_…: once in a process, since what measures them runs until its end. */
    addProcessMetrics: (): void => collectDefaultMetrics({ register: registry }),

    described,
    contentType: registry.contentType,
    text: (): Promise<string> => registry.metrics(),
    clear: (): void => registry.clear(),
  }
}

export type MetricRegistry = ReturnType<typeof createRegistry>
