import type { CompanyState, Digester, OnUnsettled } from '@rollcall/domain';
import type { Fold, StateStore } from '../event-store/fold.js';
import type { Clock } from '../ports/clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { FindNames } from './import-handler.js';
import type { UnprovenReason } from './unproven.js';
import type { WatchRunDeps } from './watch-run.js';

export interface ImportEngineOptions extends WatchRunDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly digester: Digester;
  readonly states: StateStore<CompanyState>;
  readonly findNames: FindNames;
  /** Where large bodies lie until they are decided on. */
  readonly temporaryFolder: string;
  /** Of the process whose threads run imports: another one after each restart. */
  readonly processId: string;
  /** Told of each employee that the fast reader leaves to the rules in full. */
  readonly onUnsettled?: OnUnsettled;
  /** The version of the rules by which bodies are read, made from all that is part of them. */
  readonly rules: string;
  /** Told of each queued body that is read once more, because acceptance has left no proof that settles it. */
  readonly onUnproven?: (reason: UnprovenReason) => void;
  /** Injected in tests. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Gives the memory of a body back at once. */
  readonly discard?: (body: Uint8Array<ArrayBuffer>) => void;
}

/** What employees are read with. */
export type ReadingDeps = Pick<ImportEngineOptions, 'digester' | 'onUnsettled'>;

/** What a body is read with. */
export type HandlerDeps = ReadingDeps & Pick<ImportEngineOptions, 'rules' | 'onUnproven'>;

export interface ImportEngineDeps extends ImportEngineOptions {
  readonly fold: Fold<CompanyState>;
}
