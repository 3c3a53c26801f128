import type { EmployeeListCheck, EmployeeListReader } from '@rollcall/domain';
import type { ArrivingImport } from '../ports/imports.js';
import type { ImportCall } from './import-handler.js';
import { BodyFile } from './body-file.js';
import { type BodyMarks, type LastBodies, MarkedHash } from './body-marks.js';
import type { ImportEngineOptions, ReadingDeps } from './import-deps.js';
import { employeeReader, feedFrom, releaseList } from './read-employees.js';

/** So many bodies are read side by side while they arrive; others are stored, and read in their turn. */
const mostReaders = 4;

/** How many readers may still begin, for all bodies of a thread. */
export class ReaderPlaces {
  #free = mostReaders;

  get isFree(): boolean {
    return this.#free > 0;
  }

  take(): void {
    this.#free--;
  }

  giveBack(): void {
    this.#free++;
  }
}

export interface ArrivingBodyDeps extends ReadingDeps, Pick<ImportEngineOptions, 'temporaryFolder'> {
  readonly lastBodies: LastBodies;
  readonly places: ReaderPlaces;
}

/** A body that is there whole, with what reading it came to, where it was read. */
export type ArrivedBody = Pick<ImportCall, 'body' | 'employees'>;

/**
 * A body while it arrives: in one pass it is stored, hashed and, of employees, read. What may be the company's last body once
 * more is not read as long as nothing tells the two apart. `close` has to end it, whatever it throws.
 */
export class ArrivingBody {
  readonly #deps: ArrivingBodyDeps;
  readonly #arriving: ArrivingImport;
  readonly #file: BodyFile;
  readonly #hash: MarkedHash;
  #marks: BodyMarks | undefined;
  #reader: EmployeeListReader | undefined;
  #check: EmployeeListCheck | undefined;
  #mayRead: boolean;

  /** `EventLogUnavailable` where the folder takes no file; `add` throws it too. */
  constructor(deps: ArrivingBodyDeps, arriving: ArrivingImport) {
    this.#deps = deps;
    this.#arriving = arriving;
    this.#mayRead = arriving.kind === 'employees';
    this.#hash = new MarkedHash(this.#mayRead ? deps.lastBodies.of(arriving.companyId) : undefined);
    this.#file = new BodyFile(deps.temporaryFolder);
  }

  /** Takes the next bytes, which may end anywhere. Nothing of them is kept in memory. */
  add(bytes: Uint8Array): void {
    this.#file.write(bytes);
    this.#hash.update(bytes);
    if (this.#reader) this.#reader.feed(bytes);
    else if (this.#mayRead && !this.#hash.isKnown) this.#beginReading();
  }

  /** To be called behind the last byte. What it gives is good until `close`. */
  finish(): ArrivedBody {
    const marks = this.#hash.finish();
    const file = this.#file;
    this.#marks = marks;
    const body = {
      length: file.length,
      sha256: marks.sha256,
      read: (start: number, end: number) => file.read(start, end),
      copy: (into: Uint8Array, from: number) => file.copy(into, from),
    };
    return { body, employees: this.#endReading() };
  }

  /** To be called when the company has accepted it. */
  accepted(): void {
    const { kind, companyId } = this.#arriving;
    if (kind === 'employees' && this.#marks) this.#deps.lastBodies.remember(companyId, this.#marks);
  }

  close(): void {
    this.#closeReader();
    this.#file.close();
    if (this.#check?.status === 'valid') releaseList(this.#check.list);
  }

  /** From the beginning, which lies in the file. Once only: without a place it is read when it is there whole. */
  #beginReading(): void {
    this.#mayRead = false;
    const { places } = this.#deps;
    if (!places.isFree) return;
    const file = this.#file;
    const expectedBytes = this.#arriving.expectedBytes ?? file.length;
    this.#reader = employeeReader((start, end) => file.read(start, end), this.#deps, {
      digestBelow: Number.POSITIVE_INFINITY,
      expectedBytes,
    });
    places.take();
    feedFrom(file, this.#reader);
  }

  #endReading(): EmployeeListCheck | undefined {
    this.#check = this.#reader?.finish();
    this.#closeReader();
    return this.#check;
  }

  #closeReader(): void {
    if (!this.#reader) return;
    this.#reader.close();
    this.#reader = undefined;
    this.#deps.places.giveBack();
  }
}
