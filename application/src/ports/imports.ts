import type { CallContext, DryRunResult, ImportKind, ManagerDryRunResult } from '@rollcall/contracts';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { Acceptance, ImportCounts } from '@rollcall/domain';

/** The appended events of an operation that the read models will show. Can be sent to another thread. */
export interface Written {
  readonly stream: string;
  readonly revision: number;
  readonly bytes: number;
}

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
  /** The set revisions of If-Match, any of which matches; empty where none can. Null without the header, or with `*`. */
  readonly ifMatch: readonly number[] | null;
  /** `If-Preview`, unread: the PreviewId of a dry run. */
  readonly ifPreview?: string | undefined;
  /** `Renames=keep`: who leaves and comes again under another EmployeeID, with the same e-mail address, is one person. */
  readonly keepsRenames?: boolean;
  /** With `dryRun`: rows of the difference too; of employees at most this number of each kind. */
  readonly details?: number;
  /** On the `monotonicMs` clock. Undecided by then: `ImportsBusy`, and nothing is left. */
  readonly answerBy?: number | undefined;
}

export interface ImportRequest extends BareImportRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly bodySha256: string;
}

export interface ArrivingImport extends Pick<BareImportRequest, 'kind' | 'companyId'> {
  /** Unpacked, approximate; undefined where unknown. */
  readonly expectedBytes: number | undefined;
  /** For an import that is sure to be queued or refused: the payload is written under this context while the body arrives. */
  readonly queuedAs?: CallContext | undefined;
}

/**
 * Receives the body of one import: counted, hashed, parsed and stored on arrival; decided only after the last byte. Ends with `accept` or
 * `abandon`, which reject as `accept` of `Imports` does.
 */
export interface BodyIntake {
  /** Takes over the chunks and their memory. Returns a promise to await before the next write, if any (backpressure). */
  write(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<void> | undefined;
  /** After the last byte: the body's SHA-256, hex. */
  end(): Promise<string>;
  /** Decides. Call it once, after `end`. */
  accept(request: BareImportRequest): Promise<ImportOutcome>;
  /** Drops the body. No effect after a decision. */
  abandon(): void;
}

/** Rows of a preview in a file, one JSON text a line: a thread makes them, the process sends them. */
export interface StoredRows {
  readonly path: string;
}

interface AcceptedImport {
  readonly operationId: string;
  readonly ignored: IgnoredFields;
  readonly replayed: boolean;
  /** Undefined for a replay. */
  readonly written: Written | undefined;
}

export type ImportOutcome =
  | (AcceptedImport & { readonly kind: 'done'; readonly counts: ImportCounts })
  | (AcceptedImport & { readonly kind: 'queued' })
  | {
      readonly kind: 'refused';
      /** For `ValidationErrors`, or for the managers' one string. */
      readonly errors: readonly string[];
      /** The refusal in the log; undefined for a rehearsal. */
      readonly written: Written | undefined;
    }
  | Extract<
      Acceptance,
      { kind: 'key-reused' | 'precondition-failed' | 'preview-unusable' | 'keys-full' | 'queue-full' }
    >
  | {
      readonly kind: 'dry-run';
      readonly result: Preview;
      /** With `details`: `takeRows` or `discardRows` has to end them. */
      readonly rows: StoredRows | undefined;
      /** Whether anything would change, more than the counts say too. */
      readonly isChange: boolean;
    };

export type Preview = DryRunResult | ManagerDryRunResult;

export const isOfEmployees = (preview: Preview): preview is DryRunResult => 'Inserted' in preview;

export interface RefusedCall {
  readonly context: CallContext;
  readonly method: string;
  /** Hex; null where the body did not arrive whole. */
  readonly bodySha256: string | null;
  /** 400, or 500 for an unforeseen error. */
  readonly status: 400 | 500;
}

interface OneRun {
  readonly companyId: number;
  readonly operationId: string;
  readonly importKind: ImportKind;
}

export type RunResult =
  /** Nothing is to be run up to this revision of the company's stream. `unknown`: there is no such company. */
  | {
      readonly kind: 'idle';
      readonly companyId: number;
      readonly upTo: number | 'no-stream';
      readonly unknown: boolean;
    }
  /** The oldest pending import has its terminal event, by this run or another process, or is held. */
  | (OneRun & {
      readonly kind: 'ended';
      readonly outcome: 'done' | 'failed' | 'held' | 'elsewhere';
      readonly reason?: string;
      /** The revision up to which nothing is pending any more, if so. */
      readonly idleUpTo?: number | 'no-stream';
    })
  /** It has crashed its process too often, and must run with nothing beside it. */
  | (OneRun & {
      readonly kind: 'must-run-alone';
      /** Starts that ended with their process. */
      readonly starts: number;
    })
  /** It failed for a reason of its own, and will be tried again. */
  | (OneRun & { readonly kind: 'attempt-failed'; readonly attempt: number; readonly problem: string });

export type ImportRun = Extract<RunResult, { readonly kind: 'ended' | 'attempt-failed' }>;

export const isRun = (result: RunResult): result is ImportRun =>
  result.kind === 'ended' || result.kind === 'attempt-failed';

export interface RunOptions {
  /** Nothing else runs in this process: the import may have ended its process before. */
  readonly alone?: boolean;
  /** The import is large: it goes on in a thread of its own. */
  readonly onOwnThread?: (() => void) | undefined;
}

/** Who has an EmployeeID in the newest set, which readers may not be shown yet. */
export interface FoundEmployee {
  readonly number: number | undefined;
  /** Of that set; null before the first. */
  readonly revision: number | null;
}

/** Not accepted, or not decided, in a call's time; the caller may repeat it. */
export class ImportsBusy extends Error {
  override readonly name = 'ImportsBusy';

  constructor(message = 'no thread could take the import in time') {
    super(message);
  }
}

export interface Imports {
  accept(request: ImportRequest): Promise<ImportOutcome>;
  /** Begins to receive a large body; small ones are cheaper to hold. */
  takeUp(arriving: ArrivingImport): BodyIntake;
  /** Whether an import thread is ready for calls. */
  isReady(): boolean;
  /** Writes the ApiCalls row of a call that was refused elsewhere. */
  refuse(call: RefusedCall, errors: readonly string[]): Promise<Written>;
  /** Looks for an EmployeeID among the digests of the company's state at the head of the log. */
  findEmployee(companyId: number, employeeId: string): Promise<FoundEmployee>;
  close(): Promise<void>;
}

export interface ImportRunner {
  /**
   * Runs the company's oldest pending import. Outages throw (`EventLogUnavailable`, `ReadModelsUnavailable`) and count as no attempt;
   * `LogCorrupt` where the company's stream cannot be read. `must-run-alone` never for `alone`.
   */
  runOldest(companyId: number, options?: RunOptions): Promise<RunResult>;
  /** The process is about to end: interrupted runs do not count as attempts. Those that go on for some seconds reject with `RunStopped`. */
  stopping(): void;
  close(): Promise<void>;
}

/** The process ends and stops the import's run; nothing is half done, and the next worker starts it anew. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';

  constructor() {
    super('the process ends');
  }
}

export type ShownRow = Readonly<Record<string, unknown>>;

/** Employees or portal users as the read models have them; undefined where they have none. They get a moment to reach `revision`. */
export type FindRows = (
  kind: ImportKind,
  companyId: number,
  numbers: readonly number[],
  revision?: number | null,
) => Promise<readonly (ShownRow | undefined)[]>;
