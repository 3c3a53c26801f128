import type { StateSnapshot } from '@rollcall/application';
import { sha256 } from '../sha256.js';
import type { Environment, SnapshotPointer } from './environment.js';

const CHUNK_BYTES = 512 * 1024;

/** Writes the chunks, each in a transaction of its own, and then, in one, the pointer and the removal of what it replaces. */
export async function writeSnapshot(
  environment: Environment,
  generation: number,
  snapshot: StateSnapshot,
): Promise<void> {
  const id = await nextId(environment);
  const count = Math.ceil(snapshot.bytes.length / CHUNK_BYTES);
  for (let chunk = 0; chunk < count; chunk += 1) {
    // A copy: the store takes no shared memory, and the caller may go on with its own.
    const bytes = Buffer.from(snapshot.bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES));
    await environment.chunks.put([generation, id, chunk], bytes);
  }
  const key: [number, string, number] = [generation, snapshot.stream, snapshot.stateVersion];
  const pointer: SnapshotPointer = {
    id,
    revision: snapshot.revision,
    chain: snapshot.chain,
    recordedAt: snapshot.recordedAt,
    bytes: snapshot.bytes.length,
    chunks: count,
    sha256: await sha256(snapshot.bytes),
  };
  await environment.root.transaction(() => {
    const before = environment.pointers.get(key);
    for (let chunk = 0; chunk < (before?.chunks ?? 0); chunk += 1) {
      void environment.chunks.remove([generation, before?.id ?? 0, chunk]);
    }
    void environment.pointers.put(key, pointer);
  });
}

/** The snapshot's bytes, on shared memory, so that worker threads can have them without a copy; undefined where anything is missing or wrong. */
export async function readSnapshot(
  environment: Environment,
  generation: number,
  wanted: { stream: string; stateVersion: number },
): Promise<StateSnapshot | undefined> {
  const pointer = environment.pointers.get([generation, wanted.stream, wanted.stateVersion]);
  if (pointer === undefined) return undefined;
  const bytes = readChunks(environment, generation, pointer);
  if (bytes === undefined || (await sha256(bytes)) !== pointer.sha256) return undefined;
  const { revision, chain, recordedAt } = pointer;
  return { stream: wanted.stream, stateVersion: wanted.stateVersion, revision, chain, recordedAt, bytes };
}

function readChunks(
  environment: Environment,
  generation: number,
  pointer: SnapshotPointer,
): Uint8Array | undefined {
  const bytes = new Uint8Array(new SharedArrayBuffer(pointer.bytes));
  let used = 0;
  for (let chunk = 0; chunk < pointer.chunks; chunk += 1) {
    const part = environment.chunks.get([generation, pointer.id, chunk]);
    if (part === undefined || used + part.length > bytes.length) return undefined;
    bytes.set(part, used);
    used += part.length;
  }
  return used === bytes.length ? bytes : undefined;
}

async function nextId(environment: Environment): Promise<number> {
  return environment.root.transaction(() => {
    const id = (environment.numbers.get('snapshot') ?? 0) + 1;
    void environment.numbers.put('snapshot', id);
    return id;
  });
}
