import {
  AckPolicy,
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamManager,
  type StreamConfig,
} from 'nats';
import { setTimeout as wait } from 'node:timers/promises';
import { QueueRefused, type QueueName } from '@rollcall/application';
import { CONSUMER_MISSING, STREAM_MISSING } from './connection.js';

export interface QueueNames {
  readonly stream: string;
  readonly durable: string;
  /** Without the last part, which is the body's hash. */
  readonly subject: string;
}

export const namesOf = (prefix: string, queue: QueueName): QueueNames => ({
  stream: `${prefix}rollcall-${queue}`,
  durable: `${prefix}rollcall-${queue}`,
  subject: `${prefix}rollcall.${queue}`,
});

export interface SetupOptions {
  readonly replicas: number;
  readonly ackDeadlineMs: number;
  readonly maxAckPending: number;
}

const ATTEMPTS = 3;
const PAUSE_MS = 150;

/** Creates or updates the queue's stream and consumer. `QueueRefused` if they cannot be changed, or are foreign. */
export async function setUp(
  jsm: JetStreamManager,
  names: QueueNames,
  options: SetupOptions,
): Promise<ConsumerInfo> {
  for (let attempt = 1; ; attempt++) {
    try {
      await setUpStream(jsm, names, options);
      return await setUpConsumer(jsm, names, options);
    } catch (error) {
      // Processes that create the same stream at once can get in each other's way.
      if (!(error instanceof QueueRefused) || attempt === ATTEMPTS) throw error;
      await wait(PAUSE_MS);
    }
  }
}

/** A subject is a body's hash, so an equal message replaces an older one. At a limit, `discard: old` would lose others. */
const streamConfig = (names: QueueNames, { replicas }: SetupOptions) => ({
  name: names.stream,
  subjects: [`${names.subject}.*`],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_msgs_per_subject: 1,
  num_replicas: replicas,
});

/** No `backoff`: it would replace the ack wait. */
const consumerConfig = (names: QueueNames, { ackDeadlineMs, maxAckPending }: SetupOptions) => ({
  durable_name: names.durable,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ackDeadlineMs),
  max_deliver: -1,
  max_ack_pending: maxAckPending,
});

async function setUpStream(jsm: JetStreamManager, names: QueueNames, options: SetupOptions): Promise<void> {
  const wanted = streamConfig(names, options);
  const info = await orMissing(() => jsm.streams.info(names.stream), STREAM_MISSING);
  if (info === undefined) {
    await orPerson(() => jsm.streams.add(wanted), `The stream ${names.stream} cannot be created in NATS`);
    return;
  }
  checkStream(info.config, wanted);
  if (!differs(info.config, wanted)) return;
  await orPerson(
    () => jsm.streams.update(names.stream, { ...info.config, ...wanted }),
    `The stream ${names.stream} in NATS is not as it should be and cannot be updated`,
  );
}

function checkStream(
  found: StreamConfig,
  wanted: Pick<StreamConfig, 'name' | 'storage' | 'retention'>,
): void {
  const key = (['storage', 'retention'] as const).find((key) => found[key] !== wanted[key]);
  if (key === undefined) return;
  throw new QueueRefused(
    `The stream ${wanted.name} in NATS has ${key} "${found[key]}" instead of "${wanted[key]}", which cannot be changed: ` +
      'if it is of no other use, delete it, and it is created anew',
  );
}

async function setUpConsumer(
  jsm: JetStreamManager,
  names: QueueNames,
  options: SetupOptions,
): Promise<ConsumerInfo> {
  const { stream, durable } = names;
  const wanted = consumerConfig(names, options);
  const info = await orMissing(() => jsm.consumers.info(stream, durable), CONSUMER_MISSING);
  if (info === undefined) {
    return orPerson(
      () => jsm.consumers.add(stream, wanted),
      `The consumer ${durable} of the stream ${stream} cannot be created in NATS`,
    );
  }
  checkConsumer(info, wanted.ack_policy);
  if (!differs(info.config, wanted)) return info;
  return orPerson(
    () => jsm.consumers.update(stream, durable, wanted),
    `The consumer ${durable} of the stream ${stream} in NATS is not as it should be and cannot be updated`,
  );
}

function checkConsumer({ config, stream_name, name }: ConsumerInfo, ackPolicy: AckPolicy): void {
  const problem = consumerProblem(config, ackPolicy);
  if (problem === undefined) return;
  throw new QueueRefused(
    `The consumer ${name} of the stream ${stream_name} in NATS ${problem}, which cannot be changed: ` +
      'delete it, and it is created anew',
  );
}

function consumerProblem(config: ConsumerConfig, ackPolicy: AckPolicy): string | undefined {
  if (Object.hasOwn(config, 'deliver_subject')) return 'is a push consumer';
  if (config.ack_policy !== ackPolicy)
    return `has the ack policy "${config.ack_policy}" instead of "${ackPolicy}"`;
  if (config.filter_subject !== undefined || config.filter_subjects !== undefined)
    return 'sees only some subjects';
  if (config.backoff !== undefined) return 'has a backoff of its own';
  return config.headers_only === true ? 'delivers headers only' : undefined;
}

const differs = (found: object, wanted: object): boolean =>
  Object.entries(wanted).some(
    ([key, value]) => JSON.stringify((found as Record<string, unknown>)[key]) !== JSON.stringify(value),
  );

async function orMissing<T>(ask: () => Promise<T>, missing: number): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === missing) return undefined;
    throw error;
  }
}

async function orPerson<T>(change: () => Promise<T>, what: string): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const description = error instanceof NatsError ? error.api_error?.description : undefined;
    if (description === undefined) throw error;
    throw new QueueRefused(`${what}: ${description}`, { cause: error });
  }
}
