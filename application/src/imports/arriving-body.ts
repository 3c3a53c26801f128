import { createHash } from 'node:crypto';
import type { EmployeeListCheck, EmployeeListReader } from '@rollcall/employee-lists';
import type { BoundedCache } from '../bounded-cache.js';
import type { Limiter } from '../concurrency.js';
import type { ArrivingImport } from '../ports/imports.js';
import type { ImportCall } from './import-handler.js';
import type { ImportEngineOptions, ReadingDeps } from './import-deps.js';
import { BodyFile, employeeReader, feedFrom, releaseList } from './stored-body.js';

const markEvery = 1024 * 1024;

/** `marks`: the SHA-256 of the body up to each full MiB, base64; `sha256`: of the whole body, hex. */
export interface BodyMarks {
  readonly marks: readonly string[];
  readonly sha256: string;
}

class MarkedHash {
  readonly #hash = createHash('sha256');
  readonly #known: BodyMarks | undefined;
  readonly #marks: string[] = [];
  #length = 0;
  #isKnown: boolean;

  constructor(known: BodyMarks | undefined) {
    this.#known = known;
    this.#isKnown = known !== undefined;
  }

  /** True while the body equals the remembered one, as far as both were compared. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const length = Math.min(bytes.length - at, markEvery - (this.#length % markEvery));
      this.#hash.update(bytes.subarray(at, at + length));
      this.#length += length;
      at += length;
      if (this.#length % markEvery === 0) this.#mark();
    }
  }

  /** Call it once, after the last byte. */
  finish(): BodyMarks {
    const sha256 = this.#hash.digest('hex');
    this.#isKnown &&= sha256 === this.#known?.sha256;
    return { marks: this.#marks, sha256 };
  }

  #mark(): void {
    const mark = this.#hash.copy().digest('base64');
    this.#isKnown &&= mark === this.#known?.marks[this.#marks.length];
    this.#marks.push(mark);
  }
}

export interface ArrivingBodyDeps extends ReadingDeps, Pick<ImportEngineOptions, 'temporaryFolder'> {
  /** By company. Only a hint that spares reading: the company's state decides whether a body is its last accepted one. */
  readonly lastBodies: BoundedCache<number, BodyMarks>;
  readonly readers: Limiter;
}

export type ArrivedBody = Pick<ImportCall, 'body' | 'employees'>;

/** Stores, hashes and (employees) parses a body in one pass. Skips parsing while it equals the company's last body. */
export class ArrivingBody {
  readonly #deps: ArrivingBodyDeps;
  readonly #arriving: ArrivingImport;
  readonly #file: BodyFile;
  readonly #hash: MarkedHash;
  #marks: BodyMarks | undefined;
  #reader: EmployeeListReader | undefined;
  #leaveReader: (() => void) | undefined;
  #check: EmployeeListCheck | undefined;
  #mayRead: boolean;

  /** `EventLogUnavailable` where the folder takes no file; `add` throws it too. */
  constructor(deps: ArrivingBodyDeps, arriving: ArrivingImport) {
    this.#deps = deps;
    this.#arriving = arriving;
    this.#mayRead = arriving.kind === 'employees';
    this.#hash = new MarkedHash(this.#mayRead ? deps.lastBodies.get(arriving.companyId) : undefined);
    this.#file = new BodyFile(deps.temporaryFolder);
  }

  /** The bytes may end anywhere, and are not kept in memory. */
  add(bytes: Uint8Array): void {
    this.#file.write(bytes);
    this.#hash.update(bytes);
    if (this.#reader) this.#reader.feed(bytes);
    else if (this.#mayRead && !this.#hash.isKnown) this.#beginReading();
  }

  /** Call it after the last byte. The result is valid until `close`. */
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

  /** Call it once the company has accepted the body. */
  accepted(): void {
    const { kind, companyId } = this.#arriving;
    if (kind === 'employees' && this.#marks) this.#deps.lastBodies.set(companyId, this.#marks);
  }

  /** Call it in any case, whatever was thrown. */
  close(): void {
    this.#closeReader();
    this.#file.close();
    if (this.#check?.status === 'valid') releaseList(this.#check.list);
  }

  /** Tries once: without a free reader, the body is read when it is whole. */
  #beginReading(): void {
    this.#mayRead = false;
    this.#leaveReader = this.#deps.readers.tryTake();
    if (!this.#leaveReader) return;
    const file = this.#file;
    const expectedBytes = this.#arriving.expectedBytes ?? file.length;
    this.#reader = employeeReader((start, end) => file.read(start, end), this.#deps, {
      digestBelow: Number.POSITIVE_INFINITY,
      expectedBytes,
    });
    feedFrom(file, this.#reader, this.#deps);
  }

  #endReading(): EmployeeListCheck | undefined {
    this.#check = this.#reader?.finish();
    this.#closeReader();
    return this.#check;
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
    this.#leaveReader?.();
  }
}
