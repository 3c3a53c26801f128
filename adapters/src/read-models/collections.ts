import {
  readModelCollections,
  UnwritableDocument,
  type CollectionDeclaration,
  type DocumentWrite,
} from '@rollcall/application';

/** A mistake in the program: a collection or an index that nobody declared. */
export class Undeclared extends Error {
  override readonly name = 'Undeclared';
}

/** The collections that a store was opened for. */
export class Collections {
  readonly #byName: ReadonlyMap<string, CollectionDeclaration>;

  constructor(declared: readonly CollectionDeclaration[] = readModelCollections) {
    this.#byName = new Map(declared.map((one) => [one.name, one]));
  }

  get all(): readonly CollectionDeclaration[] {
    return [...this.#byName.values()];
  }

  /** `Undeclared` where it is not. */
  of(name: string): CollectionDeclaration {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Undeclared(`no collection of read models is called ${name}`);
    return found;
  }

  /** How many numbers an index has; `Undeclared` where it is not there. */
  widthOf(name: string, index: string): number {
    const width = this.of(name).indexes[index];
    if (width === undefined) throw new Undeclared(`${name} has no index ${index}`);
    return width;
  }

  /** The declared indexes in which the write puts its document, each with its numbers. `UnwritableDocument` for any others. */
  indexedBy(write: DocumentWrite): readonly (readonly [index: string, numbers: readonly number[]])[] {
    if (write.op === 'remove' || write.indexed === undefined) return [];
    const { indexes } = this.of(write.collection);
    const entries = Object.entries(write.indexed);
    for (const [index, numbers] of entries)
      if (indexes[index] !== numbers.length)
        throw new UnwritableDocument(
          `the index ${index} of ${write.collection} does not take ${numbers.length} numbers`,
        );
    return entries;
  }
}

/** `UnwritableDocument` where it is no number of an event. */
export function checkedRevision(revision: number): number {
  if (Number.isSafeInteger(revision) && revision >= 0 && revision < MAX_REVISION) return revision;
  throw new UnwritableDocument('the revision of a document is a whole number from 0 on');
}

/** Revisions are kept in 48 bits. */
const MAX_REVISION = 2 ** 48;
