// Frees memory of the process that works on images, which is otherwise kept until the garbage collector runs.

/** Of bytes that nobody looks at any more; unless they share it. From now on they are empty. */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0)
}
