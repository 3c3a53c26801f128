import type { DocumentKey, DocumentWrite, Progress, WriteOrigin } from '@rollcall/application';
import { needsStored, type RemovedEntry, type Step } from './fold.js';
import { encodeKey } from './keys.js';
import { versionsOf, type Version } from './versions.js';

/**
 * In which order documents are written, each stage when the one before has the majority: first also the index entries
 * of removed and replaced documents, then those documents, from which the entries are known, then what events write last.
 */
export const STAGES = ['most', 'indexed', 'last'] as const;
export type Stage = (typeof STAGES)[number];

/** All that a batch writes to one document. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  /** In the order of the log. */
  readonly steps: readonly Step[];
  readonly stage: Stage;
  readonly readsStored: boolean;
}

/** The writes of a batch by document. `UnwritableDocument` before anything is written. */
export function changesOf(writes: readonly DocumentWrite[], next: Progress): Changes {
  const changes = new Changes();
  const versions = versionsOf(writes, next);
  writes.forEach((write, at) => {
    const isLast = isOther(write.origin, writes[at + 1]);
    changes.add(write, versions[at] ?? '', stageOf(write, isLast));
  });
  return changes;
}

/** The write behind comes from another event, or there is none. */
function isOther(origin: WriteOrigin | undefined, next: DocumentWrite | undefined): boolean {
  return next === undefined || next.origin?.position !== origin?.position;
}

function stageOf(write: DocumentWrite, isLast: boolean): Stage {
  if (isLast) return 'last';
  return write.indexedBy === undefined ? 'most' : 'indexed';
}

interface Gathered {
  readonly collection: string;
  readonly id: string;
  readonly steps: Step[];
  stage: Stage;
  isEntry: boolean;
}

export class Changes {
  readonly #byCollection = new Map<string, Map<string, Gathered>>();

  static from(changes: readonly Change[]): Changes {
    const all = new Changes();
    for (const { collection, id, steps, stage } of changes)
      all.#gather(collection, id, { collection, id, steps: [...steps], stage, isEntry: false });
    return all;
  }

  add(write: DocumentWrite, version: Version, stage: Stage): void {
    const gathered = this.#of(write.collection, write.key);
    gathered.steps.push({ version, write });
    if (!gathered.isEntry && STAGES.indexOf(stage) > STAGES.indexOf(gathered.stage)) gathered.stage = stage;
  }

  /** An index entry goes before the document that tells of it, whatever else is written to it. */
  removeEntry({ collection, key, version }: RemovedEntry): void {
    const gathered = this.#of(collection, key);
    gathered.steps.push({ version, write: { op: 'remove', collection, key } });
    gathered.steps.sort((a, b) => (a.version < b.version ? -1 : a.version > b.version ? 1 : 0));
    gathered.stage = 'most';
    gathered.isEntry = true;
  }

  all(): Change[] {
    return [...this.#byCollection.values()].flatMap((byId) =>
      [...byId.values()].map((one) => ({ ...one, readsStored: needsStored(one.steps) })),
    );
  }

  #of(collection: string, key: DocumentKey): Gathered {
    const id = encodeKey(key);
    return (
      this.#byCollection.get(collection)?.get(id) ??
      this.#gather(collection, id, { collection, id, steps: [], stage: 'most', isEntry: false })
    );
  }

  #gather(collection: string, id: string, gathered: Gathered): Gathered {
    let byId = this.#byCollection.get(collection);
    if (byId === undefined) this.#byCollection.set(collection, (byId = new Map<string, Gathered>()));
    byId.set(id, gathered);
    return gathered;
  }
}
