import type { MessagePort } from 'node:worker_threads';
import {
  type ArrivingImport,
  type BareImportRequest,
  EventLogUnavailable,
  ForeignReadModels,
  LogCorrupt,
  LogWentBack,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type ImportOutcome,
  type ImportRequest,
  type RunPlace,
  type ToldState,
  RunStopped,
  type RunResult,
  type UnprovenReason,
} from '@rollcall/application';
import type { ObserveEventLog } from '../host/metrics/measured-event-log.js';
import type { UnsettledReason } from '@rollcall/domain';
import type { AdaptersConfig } from '../adapters-config.js';

/** What a thread is started with. */
export interface ImportThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  /** How much the company states of this thread may weigh together. */
  readonly cacheBytes: number;
  /** Of the process: another one after each restart. */
  readonly processId: string;
  /** 0 while the process is not told to end; then `ending.told`, and in the end `ending.leaves`. */
  readonly stopping: Int32Array<SharedArrayBuffer>;
  /** Whether calls go first where processors are short. */
  readonly behindCalls: boolean;
}

/** How far a process is with its end. */
export const ending = { told: 1, leaves: 2 } as const;

/** What the pool asks of a thread. */
export type ImportTask =
  /** Nothing more than to be ready. */
  | { readonly task: 'open' }
  | { readonly task: 'accept'; readonly request: ImportRequest }
  /** A body, and then its call, come through the port. */
  | { readonly task: 'take-up'; readonly arriving: ArrivingImport; readonly port: MessagePort }
  | { readonly task: 'run-oldest'; readonly companyId: number; readonly place: RunPlace }
  /** An attempt took its thread with it. */
  | { readonly task: 'attempt-failed'; readonly companyId: number; readonly problem: string };

/** A task, and what the process knows of streams that cannot be used: why each cannot. */
export interface GivenTask {
  readonly task: ImportTask;
  readonly damaged: readonly (readonly [stream: string, problem: string])[];
}

/** What the process says of a body that a thread takes up. */
export type IntakeWord =
  | { readonly word: 'pieces'; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly word: 'end' }
  | {
      readonly word: 'accept';
      readonly request: BareImportRequest;
      readonly damaged: GivenTask['damaged'];
    };

/** What the thread says of it. */
export type IntakeNews =
  { readonly news: 'taken'; readonly bytes: number } | { readonly news: 'ended'; readonly sha256: string };

/** Errors that mean something to whoever called; any other is a bug. */
export const namedErrors = {
  EventLogUnavailable,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  ForeignReadModels,
  LogCorrupt,
  LogWentBack,
  RunStopped,
};

/** An error on its way between threads, where errors lose their class. */
export interface ThreadFailure {
  readonly name: keyof typeof namedErrors | undefined;
  readonly message: string;
  readonly stack: string;
  /** Of a `LogWentBack`. */
  readonly missing: LogWentBack['missing'];
}

/** What a thread gives back for a task. */
export interface ImportThreadReply {
  /** Of `accept` and, where its body was not abandoned, `take-up`. */
  readonly outcome?: ImportOutcome | undefined;
  /** With the outcome of `accept`: the state of the company, where it is small. */
  readonly state?: ToldState | undefined;
  /** Of `run-oldest` and `attempt-failed`. */
  readonly result?: RunResult;
  /** In the place of either. */
  readonly failure?: ThreadFailure;
  /** The calls of the event log that it made since the task before. */
  readonly logCalls: readonly Parameters<ObserveEventLog>[];
  /** Streams that could not be read or written to since the task before. */
  readonly met: readonly string[];
  /** How many employees the fast reader left to the rules in full since then. */
  readonly unsettled: ReadonlyMap<UnsettledReason, number>;
  /** How many queued bodies were read once more since then. */
  readonly unproven: ReadonlyMap<UnprovenReason, number>;
  /** How many state snapshots were of no use since then. */
  readonly unusable: number;
}

/** An answer of a thread, and the state that it has of the company, where that is small. */
export interface ThreadAnswer {
  readonly outcome: ImportOutcome;
  readonly state: ToldState | undefined;
}

/** The engine of a thread, as seen from the thread of the event loop. It rejects with the errors that the engine throws. */
export interface ImportThread {
  /** Resolves once the engine is open. */
  open(): Promise<void>;
  accept(request: ImportRequest): Promise<ThreadAnswer>;
  /** Undefined where the body was abandoned. */
  takeUp(arriving: ArrivingImport, port: MessagePort): Promise<ImportOutcome | undefined>;
  runOldest(companyId: number, place: RunPlace): Promise<RunResult>;
  attemptFailed(companyId: number, problem: string): Promise<RunResult>;
}
