// What the tests of GPX share: small documents, and readings unwrapped.
import assert from 'node:assert/strict'
import type { Gpx, GpxFault, GpxReading } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpxText } from '../../../src/shared/gpx/gpx.ts'

export const gpx11 = 'xmlns="http://www.topografix.com/GPX/1/1"'

/** A document that gives no reason to warn, around `content`. */
export function gpxOf(content: string): string {
  return `<gpx version="1.1" creator="tests" ${gpx11}>${content}</gpx>`
}

/** The same around the points of one segment. */
export function trackOf(points: string): string {
  return gpxOf(`<trk><trkseg>${points}</trkseg></trk>`)
}

export function gpxFrom(reading: GpxReading): Gpx {
  assert.ok(reading.ok, reading.ok ? '' : `refused: ${reading.fault.detail}`)
  return reading.value
}

export function read(text: string): Gpx {
  return gpxFrom(readGpxText(text))
}

export function faultIn(text: string): GpxFault {
  const reading = readGpxText(text)
  assert.ok(!reading.ok, 'read, and should have been refused')
  return reading.fault
}

export function warningsOf(text: string): string[] {
  return read(text).warnings.map(({ detail }) => detail)
}
