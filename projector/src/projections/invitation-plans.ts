import { type DocumentWrite, invitationCollections, type OriginDocument } from '@rollcall/application/read';
import { MisshapenSet, parseUtcDate, readInvitationDue } from '@rollcall/domain';
import { toJson } from '../projection.js';
import type { JsonArena } from './json-arena.js';

interface Moment {
  readonly dueAt: string;
  readonly due: number;
}

interface Plan extends Moment {
  readonly number: number;
}

const { plans, timers, due: dueIndex, progress, origins } = invitationCollections;
const left = toJson({ state: 'left' });

/** Whose set it is, and which import replaced it. */
export interface SetPlace {
  readonly companyId: number;
  readonly operationId: string;
}

/** The invitations of one `EmployeeSetReplaced`: of new employees, whose writes are held to the end, and of those who left. */
export class InvitationPlans {
  readonly #companyId: number;
  readonly #operationId: string;
  readonly #arena: JsonArena;
  readonly #plans: Plan[] = [];
  #moment: Moment | undefined;

  constructor({ companyId, operationId }: SetPlace, arena: JsonArena) {
    this.#companyId = companyId;
    this.#operationId = operationId;
    this.#arena = arena;
  }

  /** An entry of `added`. */
  added(number: number, bytes: Buffer, start: number, end: number): void {
    const dueAt = readInvitationDue(bytes, start, end);
    if (dueAt !== null) this.#plans.push({ number, ...this.#momentOf(dueAt) });
  }

  /** Nearly all of an import are due at the same moment. */
  #momentOf(dueAt: string): Moment {
    if (this.#moment?.dueAt !== dueAt) {
      const due = parseUtcDate(dueAt);
      if (due === null) throw new MisshapenSet('an invitation is due at no moment');
      this.#moment = { dueAt, due };
    }
    return this.#moment;
  }

  /** The plan stays to be seen, its entry of the due index goes, and so does the one that it had instead of it later. */
  left(number: number): readonly DocumentWrite[] {
    const key = [this.#companyId, number] as const;
    const indexedBy = { collection: dueIndex, prefix: [this.#companyId], member: 'due', suffix: [number] };
    const ifStored = { member: 'state', in: ['planned'] };
    return [
      { op: 'put', collection: plans, key, json: left, keep: ['dueAt', 'due'], ifStored, indexedBy },
      { op: 'remove', collection: timers, key, indexedBy },
    ];
  }

  /** Each is asked for when there is room for it. */
  *writes(): Generator<DocumentWrite> {
    for (const plan of this.#plans) yield this.#plan(plan);
    for (const plan of this.#plans) yield this.#entry(plan);
    const numbers = this.#plans.map(({ number }) => number);
    if (numbers.length > 0) yield this.#origin(numbers);
  }

  /** New numbers rise, so those of an import lie between its first and its last. */
  #origin(numbers: readonly number[]): DocumentWrite {
    const [first, last] = [
      numbers.reduce((a, b) => Math.min(a, b)),
      numbers.reduce((a, b) => Math.max(a, b)),
    ];
    const document: OriginDocument = { first, operationId: this.#operationId };
    return { op: 'put', collection: origins, key: [this.#companyId, last], json: toJson(document) };
  }

  #plan({ number, dueAt, due }: Plan): DocumentWrite {
    const json = this.#arena.text(`{"dueAt":"${dueAt}","due":${due},"state":"planned"}`);
    return { op: 'put', collection: plans, key: [this.#companyId, number], json };
  }

  /**
   * Not where something has happened to the invitation: the event is then projected again, after the interruption of a
   * in-flight stream or the mend of its stream, and the entry has gone or moved since.
   */
  #entry({ number, due }: Plan): DocumentWrite {
    const unless = { collection: progress, key: [this.#companyId, number] } as const;
    const json = this.#arena.text(`[${this.#companyId},${number}]`);
    return { op: 'put', collection: dueIndex, key: [this.#companyId, due, number], json, unless };
  }
}
