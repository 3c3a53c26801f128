import type {
  Clock,
  EventLog,
  Every,
  Imports,
  ReadModelReader,
  ReadModels,
  StateSnapshots,
} from '@rollcall/application';
import type { DamageWatch, Metrics, Tracing, WriteWatch } from '@rollcall/host';
import type { KeyFolder } from '@rollcall/adapters';

import type { FastifyBaseLogger } from 'fastify';

export interface ApiConfig {
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly jwtAlgorithm: 'EdDSA' | 'ES256' | 'RS256' | 'PS256';
  /** Body limits are in bytes after unpacking. */
  readonly bodyLimit: number;
  readonly employeeBodyLimit: number;
  readonly managerBodyLimit: number;
  /** Unpacked bytes of an employee list from which it is queued. */
  readonly queueBodyBytes: number;
  /** Bytes held for bodies of the process; one API user gets half of them. */
  readonly bodyBudget: number;
  /** 0 is off. */
  readonly rateLimitPerMinute: number;
  /** `/metrics` is a path of the api only on a loopback address, and without an address of its own. */
  readonly servesMetrics: boolean;
  /** Where people open the operations page, such as `https://rollcall.example.com`. Undefined: on this machine alone. */
  readonly operationsUrl: string | undefined;
  /** The processes that the page asks for their health. */
  readonly processAddresses: readonly string[];
  readonly timeouts: Timeouts;
}

/** Milliseconds. */
export interface Timeouts {
  readonly headers: number;
  /** In each interval of this length a body moves by at least 64 KiB. */
  readonly bodyProgress: number;
  /** Limit for a whole body, however fast it moves. */
  readonly body: number;
  /** After an early answer the rest of the body is discarded for this long; then the connection closes. */
  readonly linger: number;
  readonly keepAlive: number;
  /** From a complete body of an import or a survey call to its answer; an import's waiting for the read models is added. */
  readonly answer: number;
  /** A silent connection, also during a request. */
  readonly connection: number;
}

export const defaultTimeouts: Timeouts = {
  headers: 20_000,
  bodyProgress: 30_000,
  body: 15 * 60_000,
  linger: 5_000,
  keepAlive: 65_000,
  answer: 30_000,
  connection: 300_000,
};

export interface ApiDeps {
  readonly config: ApiConfig;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: EventLog;
  readonly snapshots?: StateSnapshots;
  readonly readModels: ReadModelReader & Pick<ReadModels, 'generations'>;
  /** PEM by `kid`. */
  readonly publicKeys: ReadonlyMap<string, string>;
  readonly readPublicKeys?: () => Promise<KeyFolder>;
  /** Of the installation; the page's signatures follow from it. */
  readonly digestKey: Uint8Array;
  /** For what is too large to be held; the data folder. */
  readonly temporaryFolder: string;
  readonly imports: Imports;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  readonly writes?: Pick<WriteWatch, 'problems'>;
  readonly damage?: Pick<DamageWatch, 'streams' | 'problems'>;
  readonly every?: Every;
  readonly timer?: () => number;
}
