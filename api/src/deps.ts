import type { Clock, EventLog, Imports, ReadModelReader, ReadModels, Every } from '@rollcall/application';
import type { DamageWatch, KeyFolder, Metrics, Tracing, WriteWatch } from '@rollcall/adapters';

import type { FastifyBaseLogger } from 'fastify';

/** What the routes and hooks are told; read once in `main`. */
export interface ApiConfig {
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly jwtAlgorithm: 'EdDSA' | 'ES256' | 'RS256' | 'PS256';
  /** Bytes after unpacking. */
  readonly bodyLimit: number;
  /** Bytes after unpacking, for the employee synchronisation. */
  readonly employeeBodyLimit: number;
  /** Bytes after unpacking, for the manager import. */
  readonly managerBodyLimit: number;
  /** Bytes that are held for bodies under way, in the whole process; half of it for one API user. */
  readonly bodyBudget: number;
  /** Calls of one API user in a minute; 0 is off. */
  readonly rateLimitPerMinute: number;
  /** Whether `/metrics` is one of the api's own paths: it is where it has no address of its own and only this host reaches the api. */
  readonly servesMetrics: boolean;
  readonly timeouts: Timeouts;
}

/** Milliseconds. */
export interface Timeouts {
  /** Until the headers of a request are complete. */
  readonly headers: number;
  /** In any time of this length a body moves by 64 KiB at least. */
  readonly bodyProgress: number;
  /** A body takes so long at most, however fast it moves. */
  readonly body: number;
  /** After an answer to a body that was not read: so long the rest is thrown away, then the connection goes. */
  readonly linger: number;
  /** An idle connection between two requests. */
  readonly keepAlive: number;
  /** A connection on which nothing moves, while a request is under way too. */
  readonly connection: number;
}

export const defaultTimeouts: Timeouts = {
  headers: 20_000,
  bodyProgress: 30_000,
  body: 15 * 60_000,
  linger: 5_000,
  keepAlive: 65_000,
  connection: 300_000,
};

/** All that the HTTP layer needs from outside. */
export interface ApiDeps {
  readonly config: ApiConfig;
  readonly clock: Clock;
  /** A UUID v7. */
  readonly newId: () => string;
  readonly log: EventLog;
  /** `generations`: for `/health/ready`. */
  readonly readModels: ReadModelReader & Pick<ReadModels, 'generations'>;
  /** PEM by `kid`. */
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Reads them again, so that they can be changed while the service runs. */
  readonly readPublicKeys?: () => Promise<KeyFolder>;
  readonly imports: Imports;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  /** Asked by `/health/ready`. */
  readonly writes?: Pick<WriteWatch, 'problems'>;
  /** Streams that others have damaged. */
  readonly damage?: Pick<DamageWatch, 'streams' | 'problems'>;
  /** Tests give one that they drive by hand. */
  readonly every?: Every;
}
