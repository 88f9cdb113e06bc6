// What the contract tests share: bytes in each encoding, readings unwrapped, the characters of XML.
import assert from 'node:assert/strict'
import type { Fault, Reading } from '../../src/shared/classic/reading.ts'

/** The complement of the production Char of XML 1.0: what both formats refuse (C8). */
export const forbiddenInXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** UTF-16 without a byte-order mark. */
export function utf16(text: string, order: 'little' | 'big'): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let index = 0; index < text.length; index += 1) {
    view.setUint16(index * 2, text.charCodeAt(index), order === 'little')
  }
  return new Uint8Array(view.buffer)
}

export function joined(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)))
}

export function valueOf<T>(reading: Reading<T>): T {
  assert.ok(reading.ok, reading.ok ? '' : `refused: ${reading.fault.detail}`)
  return reading.value
}

export function faultOf(reading: Reading<unknown>): Fault {
  assert.ok(!reading.ok, `read, and should have been refused: ${JSON.stringify(reading)}`)
  return reading.fault
}

export function assertFault(reading: Reading<unknown>, code: Fault['code'], detail: string | RegExp): void {
  const fault = faultOf(reading)
  assert.equal(fault.code, code, fault.detail)
  if (typeof detail === 'string') assert.equal(fault.detail, detail)
  else assert.match(fault.detail, detail)
}

/** Processor time of this thread in milliseconds, which does not grow while other processes have the core. */
export function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** The least of nine runs, in milliseconds of processor time. */
export const quickestMs = (run: () => void): number =>
  Math.min(...Array.from({ length: 9 }, () => cpuMs(run)))
