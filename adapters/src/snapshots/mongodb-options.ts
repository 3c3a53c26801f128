import type { Clock } from '@rollcall/application';
import type { CommandStartedEvent } from 'mongodb';

export interface MongodbSnapshotsOptions {
  /** That of the read models, whose database it shares. */
  readonly url: string;
  readonly clock?: Clock;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}
