import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a worker: whoever reads the body of an import that has `poison` in it is killed at once, as for want of
 * memory; one that has `slow` in it takes its time.
 */
const { createHash } = crypto;
const still = new Int32Array(new SharedArrayBuffer(4));

crypto.createHash = (...args: Parameters<typeof createHash>) => {
  const hash = createHash(...args);
  const update: (data: crypto.BinaryLike) => crypto.Hash = hash.update.bind(hash);
  hash.update = (data: crypto.BinaryLike) => {
    if (data instanceof Uint8Array) {
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      if (bytes.includes('"poison"')) process.kill(process.pid, 'SIGKILL');
      if (bytes.includes('"slow"')) Atomics.wait(still, 0, 0, 300);
    }
    return update(data);
  };
  return hash;
};
syncBuiltinESMExports();
