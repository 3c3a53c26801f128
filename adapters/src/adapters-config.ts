export type EventLogChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'eventstoredb'; readonly connectionString: string };
export type ReadModelsChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'mongodb'; readonly url: string };
export type QueueChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'nats'; readonly url: string; readonly replicas: number };
export type MailerChoice =
  { readonly kind: 'file' } | { readonly kind: 'smtp'; readonly url: string; readonly connections: number };

export interface AdaptersConfig {
  readonly dataDir: string;
  readonly eventLog: EventLogChoice;
  readonly readModels: ReadModelsChoice;
  readonly queue: QueueChoice;
  /** Prefixes every stream name, so that installations can share a log. */
  readonly streamPrefix: string;
  /** Version of the read models; tools leave it out and get the newest. */
  readonly projections?: string;
  /** False (nothing is synced) for benchmarks only. */
  readonly sync?: boolean;
}
