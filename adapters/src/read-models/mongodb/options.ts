import type { Clock, CollectionDeclaration } from '@rollcall/application';
import type { CommandStartedEvent } from 'mongodb';

export interface MongodbReadModelsOptions {
  /**
   * The connection string. Its path names the database (`rollcall` where it has none), which the read models have for
   * themselves; TLS and credentials are its options.
   */
  readonly url: string;
  /** This and `collections` as the embedded adapter has them. */
  readonly projections?: string;
  readonly collections?: readonly CollectionDeclaration[];
  readonly clock?: Clock;
  /** How often the progress is looked for while somebody waits (ms, 25 by default). */
  readonly pollMs?: number;
  /** How long one reading call may take (ms, 5,000 by default). */
  readonly readMs?: number;
  /** How long one writing call may take (ms, 30,000 by default), the wait for the majority included. */
  readonly writeMs?: number;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}
