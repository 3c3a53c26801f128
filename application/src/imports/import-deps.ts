import type { CompanyState } from '@rollcall/domain';
import type { Digester, OnUnsettled, ProofProblem } from '@rollcall/employee-lists';
import type { Fold, StateStore } from '../event-store/load-state.js';
import type { DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { BoundedCache } from '../bounded-cache.js';
import type { FindRows } from '../ports/imports.js';
import type { WatchRunDeps } from './operation-log.js';

export type UnprovenReason = ProofProblem | 'missing';

export interface ImportEngineOptions extends DecideAndAppendDeps, WatchRunDeps {
  readonly digester: Digester;
  readonly states: StateStore<CompanyState>;
  readonly findRows: FindRows;
  /** Holds large bodies until they are decided on. */
  readonly temporaryFolder: string;
  /** Of the process whose threads run imports: another one after each restart. */
  readonly processId: string;
  readonly queueBodyBytes?: number | undefined;
  /** Called for each employee that the fast reader leaves to the full rules. */
  readonly onUnsettled?: OnUnsettled;
  /** Asked between chunks of a stored body; once true, reading ends with `RunStopped`. */
  readonly abandonsRuns?: () => boolean;
  /** The version of the rules by which bodies are read. */
  readonly rules: string;
  /** Called for each queued body that is read again, because acceptance has left no usable proof. */
  readonly onUnproven?: (reason: UnprovenReason) => void;
  /** Frees the memory of a body at once. */
  readonly discard?: (body: Uint8Array<ArrayBuffer>) => void;
}

export type ReadingDeps = Pick<ImportEngineOptions, 'digester' | 'onUnsettled' | 'abandonsRuns'>;

export type HandlerDeps = ReadingDeps & Pick<ImportEngineDeps, 'rules' | 'onUnproven' | 'ignoredFields'>;

export interface ImportEngineDeps extends ImportEngineOptions {
  /** Unknown members of valid bodies, by their SHA-256: a body that comes again is not read for them. */
  readonly ignoredFields: BoundedCache<string, IgnoredFields>;
  readonly fold: Fold<CompanyState>;
}
