import {
  readModelCollections,
  UnwritableDocument,
  type CollectionDeclaration,
  type DocumentWrite,
} from '@rollcall/application';

/** A bug: a collection or index that is not declared. */
export class Undeclared extends Error {
  override readonly name = 'Undeclared';
}

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

  /** `Undeclared` where the collection has no such index. */
  widthOf(name: string, index: string): number {
    const width = this.of(name).indexes[index];
    if (width === undefined) throw new Undeclared(`${name} has no index ${index}`);
    return width;
  }

  /** The write's declared indexes with their numbers. `UnwritableDocument` for others. */
  indexedBy(write: DocumentWrite): readonly (readonly [index: string, numbers: readonly number[]])[] {
    if (write.op !== 'put' || write.indexed === undefined) return [];
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

/** `UnwritableDocument` where it is no event's revision. */
export function checkedRevision(revision: number): number {
  if (Number.isSafeInteger(revision) && revision >= 0 && revision < MAX_REVISION) return revision;
  throw new UnwritableDocument('the revision of a document is a whole number from 0 on');
}

const MAX_REVISION = 2 ** 48;
