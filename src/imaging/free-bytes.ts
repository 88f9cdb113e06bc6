// Frees memory of the worker process, which would otherwise stay allocated until the garbage collector runs.

/** For bytes that are no longer used, unless they share memory. They are empty afterwards. */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0)
}
