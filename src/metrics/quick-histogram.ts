// A histogram for what happens with every request: an observation is some additions, where prom-client's checks and joins
// the labels each time. It answers a scrape with what prom-client's own would say (tests/metrics/quick-histogram.test.ts).

export interface QuickHistogramOptions<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labels: readonly Label[]
  /** The upper bounds, ascending. */
  readonly buckets: readonly number[]
}

export type Observe = (value: number) => void

interface Tally {
  readonly labels: Readonly<Record<string, string>>
  /** Of each bucket alone; the last is above all bounds. */
  readonly counts: number[]
  sum: number
}

function samplesOf(name: string, buckets: readonly number[], { labels, counts, sum }: Tally) {
  const samples = []
  let upTo = 0
  for (const [index, count] of counts.entries()) {
    upTo += count
    const le = buckets[index] ?? '+Inf'
    samples.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo })
  }
  samples.push({ metricName: `${name}_sum`, labels, value: sum })
  samples.push({ metricName: `${name}_count`, labels, value: upTo })
  return samples
}

export function createQuickHistogram<Label extends string>(options: QuickHistogramOptions<Label>) {
  const { name, help, buckets } = options
  const tallies: Tally[] = []

  return {
    /**
     * Adds the series of these label values, which must be done once for each.
     * @returns a function that observes a value of it, for the caller to keep.
     */
    series: (labels: Readonly<Record<Label, string>>): Observe => {
      const counts = Array.from({ length: buckets.length + 1 }, () => 0)
      const tally: Tally = { labels, counts, sum: 0 }
      tallies.push(tally)
      return (value) => {
        let index = 0
        while (index < buckets.length && value > (buckets[index] ?? 0)) index += 1
        counts[index] = (counts[index] ?? 0) + 1
        tally.sum += value
      }
    },

    /** What a registry needs of a metric: its name and, at a scrape, its samples. */
    metric: {
      name,
      get: () => ({
        name,
        help,
        type: 'histogram',
        values: tallies.flatMap((tally) => samplesOf(name, buckets, tally)),
      }),
    },
  }
}
