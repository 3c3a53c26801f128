import type { MessagePort } from 'node:worker_threads';
import {
  type ArrivingImport,
  type BareImportRequest,
  EventLogUnavailable,
  type FoundEmployee,
  ForeignReadModels,
  ImportsBusy,
  LogCorrupt,
  LogWentBack,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type ImportOutcome,
  type ImportRequest,
  type SharedState,
  type RunOptions,
  RunStopped,
  type RunResult,
  type UnprovenReason,
} from '@rollcall/application';
import type { ObserveEventLog, Damage, LostLog } from '../event-log/watched-log.js';
import type { UnsettledReason } from '@rollcall/employee-lists';
import type { AdaptersConfig } from '@rollcall/adapters';

export interface ImportThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  readonly queueBodyBytes?: number | undefined;
  /** Memory for the company states of this thread. */
  readonly cacheBytes: number;
  /** Identifies the process; new after each restart. */
  readonly processId: string;
  /** 0 until the process has to end; then `ending.stop`, finally `ending.abandon`. */
  readonly stopping: Int32Array<SharedArrayBuffer>;
  /** Gives calls priority over this thread. */
  readonly lowPriority: boolean;
}

export const ending = { stop: 1, abandon: 2 } as const;

export type ImportTask =
  | { readonly task: 'open' }
  | { readonly task: 'accept'; readonly request: ImportRequest }
  /** The body, then its call, come through the port. */
  | { readonly task: 'take-up'; readonly arriving: ArrivingImport; readonly port: MessagePort }
  | { readonly task: 'find-employee'; readonly companyId: number; readonly employeeId: string }
  | { readonly task: 'run-oldest'; readonly companyId: number; readonly alone: boolean }
  | { readonly task: 'run-oldest-if-small'; readonly companyId: number }
  /** An attempt crashed its thread. */
  | { readonly task: 'attempt-failed'; readonly companyId: number; readonly problem: string };

/** A task, with the unusable streams and the reason for each. */
export interface GivenTask {
  readonly task: ImportTask;
  readonly damaged: readonly (readonly [stream: string, problem: string])[];
}

/** Upload messages to the thread. */
export type IntakeMessage =
  | { readonly kind: 'chunks'; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly kind: 'end' }
  | {
      readonly kind: 'accept';
      readonly request: BareImportRequest;
      readonly damaged: GivenTask['damaged'];
    };

/** Upload messages to the process. */
export type IntakeReply =
  { readonly kind: 'taken'; readonly bytes: number } | { readonly kind: 'ended'; readonly sha256: string };

/** Errors that a caller distinguishes; any other is a bug. */
export const namedErrors = {
  EventLogUnavailable,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  ForeignReadModels,
  ImportsBusy,
  LogCorrupt,
  LogWentBack,
  RunStopped,
};

/** An error as sent between threads, where it loses its class. */
export interface ThreadFailure {
  readonly name: keyof typeof namedErrors | undefined;
  readonly message: string;
  readonly stack: string;
  readonly missing: LogWentBack['missing'];
}

export interface ImportThreadReply {
  /** Of `accept` and, where its body was not abandoned, `take-up`. */
  readonly outcome?: ImportOutcome | undefined;
  /** With the outcome of `accept`: the company's state if it is small. */
  readonly state?: SharedState | undefined;
  /** Of `run-oldest` and `attempt-failed`; `is-large` of `run-oldest-if-small` alone. */
  readonly result?: RunResult | 'is-large';
  readonly found?: FoundEmployee;
  /** Instead of any other result. */
  readonly failure?: ThreadFailure;
  /** This and the following members: since the last task. */
  readonly logCalls: readonly Parameters<ObserveEventLog>[];
  readonly met: readonly string[];
  readonly unsettled: ReadonlyMap<UnsettledReason, number>;
  readonly unproven: ReadonlyMap<UnprovenReason, number>;
  readonly unusable: number;
}

export interface ThreadAnswer {
  readonly outcome: ImportOutcome;
  readonly state: SharedState | undefined;
}

/** The engine of a thread, seen from the event loop. Rejects with the engine's errors. */
export interface ImportThread {
  open(): Promise<void>;
  accept(request: ImportRequest): Promise<ThreadAnswer>;
  /** Undefined where the body was abandoned. */
  takeUp(arriving: ArrivingImport, port: MessagePort): Promise<ImportOutcome | undefined>;
  findEmployee(companyId: number, employeeId: string): Promise<FoundEmployee>;
  runOldest(companyId: number, options: Pick<RunOptions, 'alone'>): Promise<RunResult>;
  runOldestIfSmall(companyId: number): Promise<RunResult | 'is-large'>;
  attemptFailed(companyId: number, problem: string): Promise<RunResult>;
}

export interface PoolWatch {
  readonly observe?: ObserveEventLog;
  /** A task failed because a store, or the folder for large data, is away or full. */
  readonly onUnavailable?: () => void;
  /** Employees that the fast reader left to the full rules. */
  readonly onUnsettled?: (reason: UnsettledReason, count: number) => void;
  /** Queued bodies that were read again for want of a valid proof. */
  readonly onUnproven?: (reason: UnprovenReason, count: number) => void;
  /** Unusable state snapshots: more was folded. */
  readonly onUnusable?: (count: number) => void;
  readonly damage?: Damage;
  /** Set where a thread's log went back. */
  readonly lost?: LostLog;
}

export function passOn(watch: PoolWatch, reply: ImportThreadReply): void {
  for (const call of reply.logCalls) watch.observe?.(...call);
  for (const stream of reply.met) watch.damage?.suspect(stream);
  passOnCounts(watch, reply);
  if (reply.failure !== undefined) passOnFailure(watch, reply.failure);
}

function passOnCounts(watch: PoolWatch, { unsettled, unproven, unusable }: ImportThreadReply): void {
  for (const [reason, count] of unsettled) watch.onUnsettled?.(reason, count);
  for (const [reason, count] of unproven) watch.onUnproven?.(reason, count);
  if (unusable > 0) watch.onUnusable?.(unusable);
}

type Failed = Pick<ThreadFailure, 'message'> & {
  readonly name: string | undefined;
  readonly missing?: ThreadFailure['missing'];
};

export function passOnFailure({ onUnavailable, lost }: PoolWatch, { name, message, missing }: Failed): void {
  if (name === 'EventLogUnavailable') onUnavailable?.();
  if (name === 'LogWentBack' && lost) lost.error ??= new LogWentBack(message, { missing });
}

export const damagedIn = ({ damage }: PoolWatch): GivenTask['damaged'] => [...(damage?.streams ?? [])];
