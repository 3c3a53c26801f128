import {
  blockOf,
  type BlockPlace,
  blocksCollection,
  employeeSetsCollection,
  evolveRows,
  invitationCollections,
  lastPlanned,
  newestIn,
  noBlock,
  PlanRanges,
} from '@rollcall/application';
import { dueIndexes, type ProgressChanges } from '@rollcall/application/read';
import { recordOf } from '../support/encode-rows.js';
import { ModelReadModels } from '../support/model-read-models.js';

export const companyId = 7;
const json = (document: unknown): Uint8Array => Buffer.from(JSON.stringify(document));

export const byMoment = ([one = 0, a = 0]: number[], [other = 0, b = 0]: number[]): number =>
  one - other || a - b;

/** The store beside a plain list of what must be found in it. */
export class Invited {
  readonly store = new ModelReadModels();
  readonly due = new Map<number, number>();
  /** Of the last plans in the log. */
  position = 0;
  readonly #blocks: BlockPlace[] = [];
  #revision = 0;
  #last = 0;

  /** Gaps are employees without an invitation. */
  async plan(steps: readonly (readonly [gap: number, due: number])[]): Promise<void> {
    const ranges = new PlanRanges();
    for (const [gap, due] of steps) {
      const number = (this.#last += gap);
      ranges.add(number, due);
      this.due.set(number, due);
      await this.arrive(number);
    }
    await this.#plans(ranges);
  }

  /** Everything that was planned is applied, and nothing that was is missing. */
  async finish(change: ProgressChanges = {}): Promise<void> {
    await this.store.advance(await this.store.progress(), { position: BigInt(this.position) }, change);
  }

  /** `due` is when it is to be looked at again. */
  async progress(number: number, due: number | null, more: object = {}): Promise<void> {
    const indexed = due === null ? {} : dueIndexes(companyId, due);
    await this.#put(invitationCollections.progress, number, json({ ...more, due }), indexed);
    if (due === null) this.due.delete(number);
    else this.due.set(number, due);
  }

  /** The set is projected after the plans. */
  async planAhead(number: number, due: number): Promise<void> {
    const plan = new PlanRanges();
    plan.add(number, due);
    await this.#plans(plan);
  }

  /** Comes, or comes back by an undo. */
  arrive(number: number): Promise<void> {
    return this.#row(number, recordOf({ EmployeeID: `e${number}` }));
  }

  /** Those who came back have their plans from before. */
  async undo(...numbers: readonly number[]): Promise<void> {
    for (const number of numbers) await this.arrive(number);
    const indexed = { position: [(this.position += 1)] };
    const undone = { operationId: 'op', first: 0, ranges: [] };
    await this.#put(invitationCollections.plans, -this.position, json(undone), indexed);
  }

  async leave(number: number): Promise<void> {
    await this.#row(number, undefined);
    const begun = await this.store.get(invitationCollections.progress, [companyId, number]);
    if (begun === undefined) this.due.delete(number);
  }

  expected(now: number): number[][] {
    return [...this.due]
      .filter(([, due]) => due <= now)
      .map(([number, due]) => [due, number])
      .sort(byMoment);
  }

  async #row(number: number, row: Uint8Array | undefined): Promise<void> {
    const block = blockOf(number);
    const own = newestIn(this.#blocks[block] ?? noBlock);
    const before = await this.store.get(blocksCollection, [companyId, block, own]);
    const value = evolveRows(before, new Map([[number, row]]));
    const revision = (this.#revision += 1);
    while (this.#blocks.length <= block) this.#blocks.push(noBlock);
    this.#blocks[block] = [revision];
    const place = { collection: blocksCollection, key: [companyId, block, revision], revision } as const;
    const set = { collection: employeeSetsCollection, key: [companyId], revision } as const;
    await this.store.write([
      [{ op: 'put', ...place, value }],
      [
        {
          op: 'put',
          ...set,
          value: json({ revision, blocks: this.#blocks, runs: [], replaced: [], since: 0 }),
        },
      ],
    ]);
  }

  async #plans(ranges: PlanRanges): Promise<void> {
    for (const document of ranges.documents('op')) {
      const indexed = { position: [(this.position += 1)] };
      await this.#put(invitationCollections.plans, lastPlanned(document), json(document), indexed);
    }
  }

  #put(
    collection: string,
    number: number,
    value: Uint8Array,
    indexed: Readonly<Record<string, readonly number[]>> = {},
  ): Promise<void> {
    const revision = (this.#revision += 1);
    return this.store.write([
      [{ op: 'put', collection, key: [companyId, number], revision, value, indexed }],
    ]);
  }
}
