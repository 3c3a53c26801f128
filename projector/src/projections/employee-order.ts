import {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  type OrderChanges,
  orderCollection,
  type OrderDirectory,
  type OrderPlace,
  type OrderRewrite,
  type OrderRun,
  orderRunsCollection,
  orderSteps,
  placeOfRun,
  rewritten,
} from '@rollcall/application/read';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { stages } from '../document-changes.js';
import { overtaken, type SetPlace } from './employee-blocks.js';

/**
 * Changes the order of a company's employees by one event: new runs under the event's revision, then the directory that
 * names them, then those go that it names no more. So it is done whole, or not at all.
 */
export class EmployeeOrder {
  readonly #documents: DocumentsInHand;
  readonly #place: SetPlace;
  #directory: OrderDirectory = [];
  #replaced: OrderDirectory = [];

  constructor(documents: DocumentsInHand, place: SetPlace) {
    this.#documents = documents;
    this.#place = place;
  }

  /** Whether the order does not have the event yet. */
  async isOlder(): Promise<boolean> {
    const { companyId, revision } = this.#place;
    const [directory] = await this.#documents.read(orderCollection, [[companyId]]);
    if (directory?.value !== undefined) this.#directory = decodeDirectory(directory.value);
    return (directory?.revision ?? -1) < revision;
  }

  /** Nothing where the changes are none. */
  async change(changes: OrderChanges): Promise<void> {
    if (changes.added.length + changes.removed.length === 0) return;
    const next: OrderPlace[] = [];
    let index = 0;
    for (const step of orderSteps(this.#directory, changes)) {
      if ('kept' in step) {
        next.push(step.kept);
        continue;
      }
      for (const run of rewritten(step, await this.#runs(step))) {
        const place = placeOfRun(run, this.#place.revision, index++);
        next.push(place);
        this.#put(orderRunsCollection, [place.revision, place.index], encodeRun(run));
        await this.#documents.makeRoom();
      }
      this.#replaced = [...this.#replaced, ...step.replaced];
    }
    this.#put(orderCollection, [], encodeDirectory(next));
  }

  async #runs({ replaced }: OrderRewrite): Promise<readonly OrderRun[]> {
    const keys = replaced.map(({ revision, index }) => [this.#place.companyId, revision, index] as const);
    const found = await this.#documents.read(orderRunsCollection, keys);
    return found.map(({ value }) => {
      if (value === undefined) throw overtaken(this.#place);
      return decodeRun(value);
    });
  }

  /** To be called when all that the directory does not name any more may go. */
  removeReplaced(): void {
    for (const { revision, index } of this.#replaced) this.#put(orderRunsCollection, [revision, index]);
  }

  /** The same where an interruption left the directory written: which runs it replaced is not known any more. */
  async clearAway(): Promise<void> {
    const { companyId, revision } = this.#place;
    const named = new Set(this.#directory.map((place) => `${place.revision}/${place.index}`));
    const keys = await this.#documents.keys(orderRunsCollection, [companyId]);
    const others = keys.map(([, own, index]) => ({ revision: Number(own), index: Number(index) }));
    this.#replaced = others
      .filter((place) => place.revision < revision && !named.has(`${place.revision}/${place.index}`))
      .map((place) => ({ ...place, first: '', count: 0 }));
  }

  #put(collection: string, behind: readonly number[], value?: Uint8Array): void {
    const { companyId, revision } = this.#place;
    const key = [companyId, ...behind];
    if (value !== undefined) this.#documents.set({ collection, key, revision, next: { value } });
    else this.#documents.set({ collection, key, revision, next: 'removed', stage: stages.behindDirectory });
  }
}
