import type { CallContext, DryRunResult, ImportKind, ManagerDryRunResult } from '@rollcall/contracts';
import type { ImportCounts } from '@rollcall/domain';
import type { Written } from '../read-model-wait.js';

/** One import call without its body. */
export interface BareImportRequest {
  readonly kind: ImportKind;
  readonly companyId: number;
  /** With `idempotency` where the caller sent an Idempotency-Key. */
  readonly context: CallContext;
  /** `PUT /v1.0/Company/7/Employee`, for the ApiCalls row. */
  readonly method: string;
  readonly dryRun: boolean;
  /** `Prefer: respond-async`. */
  readonly prefersAsync: boolean;
  /**
   * The set revisions that If-Match names, any of which will do; none of them where nothing can match. Null without the
   * header, or with `*`. A queued import keeps the one that matched.
   */
  readonly ifMatch: readonly number[] | null;
}

/** One import call, its body received whole and held in memory. */
export interface ImportRequest extends BareImportRequest {
  /** The unpacked body. Its memory goes to the thread that reads it. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Hex, of the unpacked body. */
  readonly bodySha256: string;
}

/** What is known of an import whose body begins to arrive. */
export interface ArrivingImport extends Pick<BareImportRequest, 'kind' | 'companyId'> {
  /** About so many unpacked bytes come; undefined where nobody knows. */
  readonly expectedBytes: number | undefined;
  /** Where it is sure to be queued or turned away: under this context, without its key, its payload is written meanwhile. */
  readonly queuedAs?: CallContext | undefined;
}

/**
 * Takes up the body of one import while it arrives: it is counted, hashed, read and stored meanwhile, and nothing is decided
 * before its end. Either `accept` or `abandon` has to end it. Each rejects with what `accept` of `Imports` rejects with.
 */
export interface BodyIntake {
  /** Takes the next pieces over, and their memory with them. Gives what to wait for before more may come, if anything. */
  write(pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<void> | undefined;
  /** All of it was written: gives the SHA-256 of the body, hex. */
  end(): Promise<string>;
  /** Decides on what was written. To be called once, behind `end`. */
  accept(request: BareImportRequest): Promise<ImportOutcome>;
  /** Nobody wants it any more. Does nothing where it is over already. */
  abandon(): void;
}

export type ImportOutcome =
  | {
      readonly kind: 'done';
      /** Of the first call, where this one repeats its Idempotency-Key. */
      readonly operationId: string;
      readonly counts: ImportCounts;
      readonly replayed: boolean;
      /** Undefined for a replay. */
      readonly written: Written | undefined;
    }
  | {
      readonly kind: 'queued';
      readonly operationId: string;
      readonly replayed: boolean;
      readonly written: Written | undefined;
    }
  | {
      readonly kind: 'refused';
      /** The texts for `ValidationErrors`, or for the managers' one string. */
      readonly errors: readonly string[];
      /** The refusal in the log; undefined for a rehearsal, which leaves none. */
      readonly written: Written | undefined;
    }
  /** The same Idempotency-Key with another body: 422. */
  | { readonly kind: 'key-reused' }
  /** If-Match names another revision than the set's: 412. */
  | { readonly kind: 'precondition-failed'; readonly current: number | null }
  /** As many imports of the company are pending as may be: 429. */
  | { readonly kind: 'queue-full' }
  | { readonly kind: 'dry-run'; readonly result: DryRunResult | ManagerDryRunResult };

/** A call that was refused, as its ApiCalls row tells of it. */
export interface RefusedCall {
  readonly context: CallContext;
  readonly method: string;
  /** Hex; null where the body was not received whole. */
  readonly bodySha256: string | null;
  /** 400, or 500 for what nobody foresaw. */
  readonly status: 400 | 500;
}

/** What came of one look at a company's queue. */
export type RunResult =
  /** No import is pending up to this revision of the company's stream. `unknown`: there is no such company. */
  | {
      readonly kind: 'idle';
      readonly companyId: number;
      readonly upTo: number | 'no-stream';
      readonly unknown: boolean;
    }
  /** The oldest pending import has its terminal event (by this run, or by somebody else meanwhile). */
  | {
      readonly kind: 'ended';
      readonly companyId: number;
      readonly operationId: string;
      readonly importKind: ImportKind;
      readonly outcome: 'done' | 'failed' | 'elsewhere';
      /** Where it failed: the reason in its event. */
      readonly reason?: string;
      /** Where nothing is pending any more: up to this revision of the company's stream. */
      readonly idleUpTo?: number | 'no-stream';
    }
  /** It has ended its process so often that nothing was done: it is to be run with nothing beside it. */
  | {
      readonly kind: 'must-run-alone';
      readonly companyId: number;
      readonly operationId: string;
      readonly importKind: ImportKind;
      /** How many starts ended with their process. */
      readonly starts: number;
    }
  /** Its body is large: nothing was done, it is to be run in a thread of its own. */
  | { readonly kind: 'needs-own-thread'; readonly companyId: number }
  /** It failed for a reason that lies in it, and will be tried again. */
  | {
      readonly kind: 'attempt-failed';
      readonly companyId: number;
      readonly operationId: string;
      readonly importKind: ImportKind;
      readonly attempt: number;
      readonly problem: string;
    };

export type ImportRun = Extract<RunResult, { readonly kind: 'ended' | 'attempt-failed' }>;

/** Whether an import was run: an attempt was made at it. */
export const isRun = (result: RunResult): result is ImportRun =>
  result.kind === 'ended' || result.kind === 'attempt-failed';

/**
 * Where an import runs: in a thread that may have imports of other companies too, in one of its own while others run in the
 * same process, or with no other import in the process.
 */
export type RunPlace = 'beside-others' | 'in-own-thread' | 'alone';

/** No thread could take a call in the time that a call waits: nothing was done, and the same call may come again. */
export class ImportsBusy extends Error {
  override readonly name = 'ImportsBusy';

  constructor() {
    super('no thread could take the import in time');
  }
}

/** Accepts import calls: carries them out at once or queues them. Outages, `ImportsBusy` and bugs throw. */
export interface Imports {
  accept(request: ImportRequest): Promise<ImportOutcome>;
  /** Begins to take up a body; for large ones, because it costs more than to hold a small one. */
  takeUp(arriving: ArrivingImport): BodyIntake;
  /** Whether a call would be taken up now: a thread that accepts calls has answered. */
  isReady(): boolean;
  /** Writes the row of a call that was refused elsewhere. */
  refuse(call: RefusedCall, errors: readonly string[]): Promise<Written>;
  close(): Promise<void>;
}

/** Runs what is queued. */
export interface ImportRunner {
  /**
   * Runs the company's oldest pending import, if there is one. Outages throw (`EventLogUnavailable`,
   * `ReadModelsUnavailable`) and count as no attempt; `LogCorrupt` where the company's own stream cannot be read.
   * `needs-own-thread` is answered to `beside-others` only, `must-run-alone` never to `alone`.
   */
  runOldest(companyId: number, place: RunPlace): Promise<RunResult>;
  /**
   * The process is told to end: what it does to the imports that run is not their doing, and is recorded so. Those that have
   * not ended some seconds later reject with `RunStopped`.
   */
  stopping(): void;
  close(): Promise<void>;
}
