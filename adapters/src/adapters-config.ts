/** The adapters that can be chosen for each port, each with what it needs to be told. */
export type EventLogChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'eventstoredb'; readonly connectionString: string };
export type ReadModelsChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'mongodb'; readonly url: string };
export type QueueChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'nats'; readonly url: string; readonly replicas: number };
export type MailerChoice =
  { readonly kind: 'file' } | { readonly kind: 'smtp'; readonly url: string; readonly connections: number };

/** Which adapter stands behind each port, and where it keeps its data. It can be sent to a thread. */
export interface AdaptersConfig {
  readonly dataDir: string;
  readonly eventLog: EventLogChoice;
  readonly readModels: ReadModelsChoice;
  readonly queue: QueueChoice;
  /** Put before every stream name: several installations may share a log. */
  readonly streamPrefix: string;
  /** The version of the projections whose read models are meant; absent, for tools: whichever are newest. */
  readonly projections?: string;
  /** False only for the benchmark: nothing is synced. */
  readonly sync?: boolean;
}

/** Everything embedded, in one folder. */
export const embeddedAdapters = (dataDir: string): AdaptersConfig => ({
  dataDir,
  eventLog: { kind: 'embedded' },
  readModels: { kind: 'embedded' },
  queue: { kind: 'embedded' },
  streamPrefix: '',
});
