import type { DocumentKey, DocumentWrite } from '@rollcall/application';
import { entryKey, isWanted, readsBefore, withKept } from '../stored-members.js';
import { NEVER, type Version } from './versions.js';

/** One write of a document, and the place in the log that it comes from. */
export interface Step {
  readonly version: Version;
  readonly write: DocumentWrite;
}

/** A document as it is stored; `json` is absent where it was removed. */
export interface Stored {
  /** Of the write that made it, or removed it. */
  readonly version: Version;
  /** Of the last write on condition that changed it since; else the same. */
  readonly amended: Version;
  readonly json: Uint8Array | undefined;
}

/** An index entry that goes with a document that was removed or replaced. */
export interface RemovedEntry {
  readonly collection: string;
  readonly key: DocumentKey;
  readonly version: Version;
}

export interface Folded {
  /** Undefined where nothing is to be written. */
  readonly after: Stored | undefined;
  readonly removedEntries: readonly RemovedEntry[];
}

/** What is stored where nothing ever was. */
export const NOTHING: Stored = { version: NEVER, amended: NEVER, json: undefined };

/**
 * What a document becomes by the writes of a batch, in their order. Those that come from no later place than it are left
 * out: they are in it already, or something newer is.
 *
 * A write on condition amends a document and leaves it its version. So the event that ends an import replaces the row
 * even when it is projected late, after the mend of its stream, and a progress event of another stream came before it.
 */
export function fold(steps: readonly Step[], stored: Stored | undefined): Folded {
  let state = stored ?? NOTHING;
  const removedEntries: RemovedEntry[] = [];
  for (const step of steps) {
    const after = afterStep(step, state);
    if (after === undefined) continue;
    removedEntries.push(...entriesOf(step, state));
    state = after;
  }
  return { after: state === (stored ?? NOTHING) ? undefined : state, removedEntries };
}

/** Whether the outcome depends on what is stored, but for its version. */
export const needsStored = (steps: readonly Step[]): boolean =>
  steps.some(({ write }) => write.indexedBy !== undefined) ||
  steps.slice(-1).some(({ write }) => readsBefore(write));

function afterStep({ version, write }: Step, before: Stored): Stored | undefined {
  if (write.op === 'remove') {
    return version > before.version ? { version, amended: version, json: undefined } : undefined;
  }
  const isAmendment = write.ifStored !== undefined;
  if (version <= (isAmendment ? before.amended : before.version)) return undefined;
  if (!isWanted(write, before.json)) return undefined;
  const json = withKept(write, before.json);
  return { version: isAmendment ? before.version : version, amended: version, json };
}

function entriesOf({ version, write }: Step, before: Stored): RemovedEntry[] {
  const { indexedBy } = write;
  if (indexedBy === undefined || before.json === undefined) return [];
  return [{ collection: indexedBy.collection, key: entryKey(before.json, indexedBy), version }];
}
