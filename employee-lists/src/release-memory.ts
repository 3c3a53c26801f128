/**
 * Frees and detaches a buffer at once: the next one of its size is then made of memory that is warm, and the garbage
 * collector, which counts such memory, runs less. Never one of the pool of small buffers. Node.js 20 has no `transfer`.
 */
export function releaseMemory(buffer: ArrayBufferLike): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return;
  if ('transfer' in buffer) buffer.transfer(0);
  else structuredClone(undefined, { transfer: [buffer] });
}
