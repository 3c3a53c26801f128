import {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  type OrderChanges,
  orderCollection,
  type OrderPlace,
  type OrderRewrite,
  type OrderRun,
  orderRunsCollection,
  orderSteps,
  placeOfRun,
  rewritten,
  Slots,
  type StoredDirectory,
} from '@rollcall/application/read';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { stages, writeOf } from '../document-changes.js';
import { overtaken, type SetPlace } from './employee-blocks.js';

/**
 * Changes the order of a company's employees by one event: new runs in free slots, then the directory that names them, then
 * those go that it names no more. So it is done whole, or not at all.
 */
export class EmployeeOrder {
  readonly #documents: DocumentsInHand;
  readonly #place: SetPlace;
  #stored: StoredDirectory = { directory: [], free: [] };
  /** Where nothing is to be left. */
  #free: readonly number[] = [];

  constructor(documents: DocumentsInHand, place: SetPlace) {
    this.#documents = documents;
    this.#place = place;
  }

  /** Changes it unless it has the event already. */
  async change(changes: () => Promise<OrderChanges>): Promise<void> {
    const { companyId, revision } = this.#place;
    const [found] = await this.#documents.read(orderCollection, [[companyId]]);
    if (found?.value !== undefined) this.#stored = decodeDirectory(found.value);
    if ((found?.revision ?? -1) < revision) await this.#change(await changes());
    // Which of them the event has replaced is not known any more.
    else this.#free = this.#stored.free;
  }

  async #change(changes: OrderChanges): Promise<void> {
    if (changes.added.length + changes.removed.length === 0) return;
    const next: OrderPlace[] = [];
    const replaced: OrderPlace[] = [];
    const slots = new Slots(this.#stored);
    for (const step of orderSteps(this.#stored.directory, changes)) {
      if ('kept' in step) {
        next.push(step.kept);
        continue;
      }
      for (const run of rewritten(step, await this.#runs(step))) {
        const place = placeOfRun(run, this.#place.revision, slots.take());
        next.push(place);
        await this.#putRun(place, run);
      }
      replaced.push(...step.replaced);
    }
    const free = slots.freeBehind(replaced);
    this.#put(orderCollection, [], encodeDirectory({ directory: next, free }));
    this.#free = free.slice(free.length - replaced.length);
  }

  async #runs({ replaced }: OrderRewrite): Promise<readonly OrderRun[]> {
    const keys = replaced.map(({ slot }) => [this.#place.companyId, slot] as const);
    const found = await this.#documents.read(orderRunsCollection, keys);
    return replaced.map((place, at) => {
      const run = decodeRun(found[at]?.value, place);
      if (run === undefined) throw overtaken(this.#place);
      return run;
    });
  }

  async #putRun(place: OrderPlace, run: OrderRun): Promise<void> {
    // An event that is gathered with this one has made it free: what is stored may still name what lies there.
    if (this.#documents.isToBeWritten(orderRunsCollection, [this.#place.companyId, place.slot]))
      await this.#documents.finish();
    this.#put(orderRunsCollection, [place.slot], encodeRun(run, place));
    await this.#documents.makeRoom();
  }

  /** To be called when all that the directory does not name any more may go. */
  removeReplaced(): void {
    for (const slot of this.#free) this.#put(orderRunsCollection, [slot]);
  }

  #put(collection: string, behind: readonly number[], value?: Uint8Array): void {
    const { companyId, revision } = this.#place;
    const place = { collection, key: [companyId, ...behind], revision };
    if (value !== undefined) this.#documents.set(writeOf(place, { value }));
    else this.#documents.set(writeOf(place, 'removed'), stages.behindDirectory);
  }
}
