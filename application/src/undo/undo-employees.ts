import { setImmediate } from 'node:timers/promises';
import {
  afterEmployeeSet,
  type CompanyState,
  type SetPair,
  touchedBy,
  undoEmployeeSet,
  undoneSource,
} from '@rollcall/domain';
import { personalFields } from '../audit/audit-row.js';
import { type EmployeeEntry, newestEntries } from '../audit/employee-entries.js';
import { batchesOf } from '../grouped-by.js';
import { Contacts } from '../imports/contacts.js';
import type { FindRows } from '../ports/imports.js';
import { invitationCollections, type ProgressDocument } from '../invitations/documents.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import type { CarriedOut } from './find-import.js';
import { OldValues, type OldValuesDeps } from './old-values.js';
import {
  HoldersNeeded,
  mostNamed,
  type Named,
  type NamedList,
  type UndoDecision,
  type UndoHandler,
} from './undo-handler.js';
import type { Digester } from '@rollcall/employee-lists';

export interface UndoEmployeesDeps extends OldValuesDeps {
  readonly digester: Digester;
  readonly findRows: FindRows;
  readonly readModels: Pick<ReadModelReader, 'getMany'>;
}

export interface UndoneImport {
  readonly companyId: number;
  readonly found: CarriedOut;
  readonly force: boolean;
}

/** Read without a turn for others between. */
const rowsTogether = 512;

export class EmployeesUndo implements UndoHandler {
  readonly #deps: UndoEmployeesDeps;
  readonly #import: UndoneImport;
  readonly #sets: SetPair;
  readonly #values: OldValues;
  #holders:
    { readonly revision: number; readonly holders: ReadonlyMap<number, readonly number[]> } | undefined;

  private constructor(deps: UndoEmployeesDeps, undone: UndoneImport, values: OldValues) {
    this.#deps = deps;
    this.#import = undone;
    this.#sets = setsOf(undone);
    this.#values = values;
  }

  static async open(deps: UndoEmployeesDeps, undone: UndoneImport): Promise<EmployeesUndo> {
    const touched = touchedBy(setsOf(undone)).filter(({ before }) => before >= 0);
    const values = await OldValues.read(deps, {
      stream: `company-${undone.companyId}`,
      from: undone.found.revision - 1,
      changed: touched.filter(({ after }) => after >= 0).map(({ number }) => number),
      restored: touched.filter(({ after }) => after < 0).map(({ number }) => number),
    });
    return new EmployeesUndo(deps, undone, values);
  }

  decide(state: CompanyState, operationId: string): UndoDecision {
    const { force } = this.#import;
    const holders = this.#holdersAt(state.revisions.employees);
    const command = { ...this.#sets, operationId, force, digester: this.#deps.digester, holders };
    const undo = undoEmployeeSet(command, state.employees);
    const later = undo.later.map(String);
    if (undo.kind === 'refused') return { kind: 'refused', later };
    const { summary, change, after } = undo;
    const isChange = undo.kind === 'replaced';
    const { inserted, updated, removed } = summary;
    const numbersOf = (all: typeof change.left): string[] => all.map(({ number }) => String(number));
    return {
      kind: 'events',
      later,
      counts: { inserted, updated, removed },
      changes: { comeBack: inserted, changedBack: updated, removed },
      returning: numbersOf(change.restored),
      changed: numbersOf(change.changed),
      removed: numbersOf(change.left),
      events: [
        isChange
          ? {
              name: 'EmployeeSetReplaced',
              source: undoneSource(undo, this.#sets, (number) => this.#values.textOf(number)),
            }
          : { name: 'EmployeeSetConfirmed', data: summary },
      ],
      after: (now, event) => afterEmployeeSet(now, summary, isChange ? after : now.employees, event),
    };
  }

  /** Without a later import nobody else can have them. */
  #holdersAt(revision: number | null): ReadonlyMap<number, readonly number[]> {
    if (revision === null || revision === this.#import.found.revision) return new Map();
    if (this.#holders?.revision !== revision) throw new HoldersNeeded(revision);
    return this.#holders.holders;
  }

  async lookUp({ revision }: HoldersNeeded): Promise<void> {
    const { log, digester } = this.#deps;
    const old = new Contacts(digester, this.#values.numbers.length);
    for (const [at, number] of this.#values.numbers.entries()) {
      if (at % rowsTogether === 0) await setImmediate();
      old.add(this.#values.fieldsOf(number), number);
    }
    const holders = new Map<number, readonly number[]>();
    const stream = `company-${this.#import.companyId}`;
    const othersOf = ({ number, values }: EmployeeEntry): number[] =>
      old
        .holders(personalFields({ personal: values }))
        .flatMap(({ holder }) => (holder === number ? [] : [holder]));
    for await (const batch of newestEntries(log, stream, { from: revision, withValues: true }))
      for (const entry of batch)
        for (const holder of othersOf(entry))
          holders.set(holder, [...(holders.get(holder) ?? []), entry.number]);
    this.#holders = { revision, holders };
  }

  /** By the EmployeeID from before the import; of others by the one they have now, and null for who is gone. */
  async named(ids: readonly string[]): Promise<NamedList> {
    const numbers = ids.slice(0, mostNamed).map(Number);
    const others = numbers.filter((number) => !this.#values.has(number));
    const rows = await this.#deps.findRows('employees', this.#import.companyId, others);
    const now = new Map(others.map((number, at) => [number, rows[at]?.['EmployeeID']]));
    const nameOf = (number: number): Named => {
      const id = this.#values.has(number) ? this.#values.fieldsOf(number)['EmployeeID'] : now.get(number);
      return { id: String(number), name: typeof id === 'string' ? id : null };
    };
    return { count: ids.length, named: numbers.map(nameOf) };
  }

  /** Of those who were added, as far as projected. */
  async sent(ids: readonly string[]): Promise<readonly string[]> {
    const { readModels } = this.#deps;
    const sent: string[] = [];
    for (const some of batchesOf(ids)) {
      const keys = some.map((id) => [this.#import.companyId, Number(id)] as const);
      const wasSent = (document: Uint8Array | undefined): boolean =>
        document !== undefined && (fromJson(document) as ProgressDocument).firstSentAt !== undefined;
      const known = await readModels.getMany(invitationCollections.progress, keys, wasSent);
      await setImmediate();
      sent.push(...some.filter((_, at) => known[at]));
    }
    return sent;
  }

  close(): void {
    this.#values.close();
  }
}

const setsOf = ({ found }: UndoneImport): SetPair => ({
  before: found.before.employees,
  after: found.reached.state.employees,
});
