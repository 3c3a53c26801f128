/**
 * Frees and detaches a buffer at once: the next one of its size is then made of memory that is warm, and the garbage
 * collector, which counts such memory, runs less. Never one of the pool of small buffers. Node.js 20 has no `transfer`.
 */
export function releaseMemory(buffer: ArrayBufferLike): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return;
  if ('transfer' in buffer) buffer.transfer(0);
  else structuredClone(undefined, { transfer: [buffer] });
}

const leastOwn = 64 * 1024;

/** The same of large bytes, where little else can lie in their buffer: smaller ones may be of the pool. */
export function releaseOwn({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= leastOwn && buffer.byteLength - byteLength < leastOwn) releaseMemory(buffer);
}
