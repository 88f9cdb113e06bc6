// Parses Prometheus' text format as a scraper does: type and help of each metric, and every sample.
import assert from 'node:assert/strict'

export interface Scrape {
  readonly text: string
  /** Name of a metric to its type and help. */
  readonly reported: ReadonlyMap<string, { readonly type: string; readonly help: string }>
  /** `name{label="value"}` as written in the response. */
  readonly samples: ReadonlyMap<string, number>
}

const sample = /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\S+)$/

/** @throws AssertionError for an invalid line, or a sample before its TYPE. */
export function parseScrape(text: string): Scrape {
  const reported = new Map<string, { type: string; help: string }>()
  const samples = new Map<string, number>()
  assert.ok(text.endsWith('\n'))
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const help = /^# HELP (\S+) (.+)$/.exec(line)
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line)
    if (help?.[1] && help[2]) reported.set(help[1], { type: '', help: help[2] })
    else if (type?.[1] && type[2]) {
      reported.set(type[1], { type: type[2], help: reported.get(type[1])?.help ?? '' })
    } else {
      const [, name = '', labels = '', value = ''] = sample.exec(line) ?? assert.fail(`no sample: ${line}`)
      const family = reported.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      assert.ok(reported.get(family)?.type, `${name} comes before its TYPE`)
      assert.ok(!samples.has(name + labels), `${name}${labels} stands twice`)
      samples.set(name + labels, Number(value.replace('+Inf', 'Infinity')))
    }
  }
  return { text, reported, samples }
}
