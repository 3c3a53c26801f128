import type { CallContext } from '@rollcall/contracts';
import { type EmployeeList, listProof, proofBytes, provenList } from '@rollcall/employee-lists';
import { payloadStream, type PendingImport } from '@rollcall/domain';
import { writeChunks, type ChunksDeps } from '../event-store/chunks.js';
import { cutSource, CHUNK_BYTES, freeChunk } from '../event-store/staged-data.js';
import { eventId } from '../event-store/linked-events.js';
import { type EventReader, LogCorrupt, StreamDeleted } from '../ports/event-log.js';
import { importLimits } from '../ports/import-limits.js';
import type { HandlerDeps, UnprovenReason } from './import-deps.js';
import type { StoredBody } from './stored-body.js';

/** No event refers to it. Once the sweeper has deleted it, the body is read again. */
export const proofStream = (operationId: string): string => `${payloadStream(operationId)}-1`;

interface ProofToWrite {
  readonly context: CallContext;
  readonly isFresh: boolean;
  readonly body: Pick<StoredBody, 'length' | 'sha256'>;
  readonly list: EmployeeList;
}

/** Spares the run of a large body the reading. */
export async function writeProof(
  deps: ChunksDeps & HandlerDeps,
  { context, isFresh, body, list }: ProofToWrite,
): Promise<void> {
  if (body.length <= importLimits.provenBody) return;
  const stream = proofStream(context.operationId);
  const { rules, digester } = deps;
  const subject = { rules, digester, bodySha256: body.sha256, count: list.count };
  const chunks = function* () {
    let index = 0;
    for (const { bytes } of cutSource({ chunks: () => listProof(list, subject) }))
      yield { bytes, id: eventId(context.operationId, stream, index++) };
  };
  try {
    await writeChunks(deps, { stream, context, isFresh }, chunks(), freeChunk);
  } catch (error) {
    if (!(error instanceof StreamDeleted)) throw error;
  }
}

/** The list as proved by this program's rules, or why there is no proof. */
export async function readProof(
  { log, rules, digester }: HandlerDeps & { readonly log: Pick<EventReader, 'readStream'> },
  { operationId, payload, elements }: PendingImport,
  bytes: StoredBody['read'],
): Promise<EmployeeList | UnprovenReason> {
  const proof = await readAll(log, proofStream(operationId), proofBytes(elements));
  if (typeof proof === 'string') return proof;
  return provenList(proof, { rules, digester, bodySha256: payload.sha256, count: elements }, bytes);
}

async function readAll(
  log: Pick<EventReader, 'readStream'>,
  stream: string,
  length: number,
): Promise<Uint8Array<ArrayBuffer> | UnprovenReason> {
  const whole = new Uint8Array(length);
  let at = 0;
  try {
    for await (const { data } of log.readStream(stream, { limit: Math.ceil(length / CHUNK_BYTES) + 1 })) {
      if (at + data.byteLength > length) return 'misfit';
      whole.set(data, at);
      at += data.byteLength;
    }
  } catch (error) {
    if (error instanceof LogCorrupt) return 'misfit';
    throw error;
  }
  if (at === 0) return 'missing';
  return at === length ? whole : 'misfit';
}
