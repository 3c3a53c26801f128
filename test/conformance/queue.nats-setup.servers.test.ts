import { isDeepStrictEqual } from 'node:util';
import { nanos, AckPolicy, DiscardPolicy, RetentionPolicy, StorageType, type JetStreamManager } from 'nats';
import { openNatsQueue, type NatsQueueOptions } from '@rollcall/adapters';
import { queueNames, type Queue } from '@rollcall/application';
import { queueProblems } from '@rollcall/host';

import t, { type Test } from 'tap';
import { NatsServer } from '../servers/nats-server.js';
import { exactly } from '../support/exactly.js';
import {
  connectTo,
  freshPrefix,
  natsUrl,
  skipWithoutNats,
  skipWithoutOwnNats,
} from './queue.nats.support.js';
import { body, holds, publish, Taker } from './queue.support.js';
import { until } from '../support/until.js';

async function openIn(t: Test, url: string, options: Partial<NatsQueueOptions> = {}): Promise<Queue> {
  const queue = await openNatsQueue({ url, timeoutMs: 2_000, ...options });
  t.teardown(() => queue.close());
  return queue;
}

const refusedWith = (refusal: string): object[] => [
  { problem: `the queue takes no messages: ${refusal}`, isOutage: false },
];

t.test('what stands in NATS', { skip: skipWithoutNats }, async (t) => {
  const url = await natsUrl();
  const { jsm } = await connectTo(t, url);

  /** A prefix of its own, and the names that the queue of imports has under it. */
  const names = async (t: Test) => {
    const streamPrefix = await freshPrefix(t, url);
    return {
      streamPrefix,
      stream: `${streamPrefix}rollcall-imports`,
      subject: `${streamPrefix}rollcall.imports`,
    };
  };

  t.test('streams and consumers are created as the port needs them', async (t) => {
    const { streamPrefix, stream, subject } = await names(t);
    const queue = await openIn(t, url, { streamPrefix, ackDeadlineMs: 12_000, maxAckPending: 77 });
    const { config } = await jsm.streams.info(stream);
    t.match(config, {
      subjects: exactly([`${subject}.*`]),
      storage: 'file',
      retention: 'workqueue',
      num_replicas: 1,
      max_msgs_per_subject: 1,
    });
    const { config: consumer } = await jsm.consumers.info(stream, stream);
    t.match(consumer, {
      ack_policy: 'explicit',
      ack_wait: nanos(12_000),
      max_ack_pending: 77,
      max_deliver: -1,
    });
    t.equal(queue.ackDeadlineMs, 12_000);
    t.ok(await jsm.streams.info(`${streamPrefix}rollcall-invitations`));
  });

  t.test('what can be changed is updated, and the messages stay', async (t) => {
    const { streamPrefix, stream, subject } = await names(t);
    await jsm.streams.add({
      name: stream,
      subjects: [`${subject}.x`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      max_age: nanos(3_600_000),
    });
    await jsm.consumers.add(stream, {
      durable_name: stream,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(5_000),
      max_deliver: 3,
    });
    const first = await openIn(t, url, { streamPrefix });
    await publish(first, 'a');
    const second = await openIn(t, url, { streamPrefix, ackDeadlineMs: 20_000 });
    t.equal(await new Taker(t, second).text(), 'a');
    const { config } = await jsm.streams.info(stream);
    t.match(config, {
      subjects: exactly([`${subject}.*`]),
      max_msgs_per_subject: 1,
      max_age: nanos(3_600_000),
    });
    t.match((await jsm.consumers.info(stream, stream)).config, { ack_wait: nanos(20_000), max_deliver: -1 });
  });

  t.test('a full stream refuses messages, whatever it did before, and takes equal ones', async (t) => {
    const { streamPrefix, stream, subject } = await names(t);
    for (const [discard, limit, message] of [
      [DiscardPolicy.Old, { max_msgs: 1 }, /queue in NATS is full: maximum messages exceeded/],
      [DiscardPolicy.New, { max_bytes: 400 }, /queue in NATS is full: maximum bytes exceeded/],
    ] as const) {
      const { Workqueue: retention } = RetentionPolicy;
      await jsm.streams.add({ name: stream, subjects: [`${subject}.*`], retention, discard, ...limit });
      const queue = await openIn(t, url, { streamPrefix });
      await publish(queue, 'a');
      await t.rejects(queue.publish('imports', body('b'.repeat(200))), { name: 'QueueUnavailable', message });
      await publish(queue, 'a');
      await holds(t, queue, 1);
      await jsm.streams.delete(stream);
    }
  });

  t.test('health names each full stream until it takes the message that it refused', async (t) => {
    const { streamPrefix } = await names(t);
    const queue = await openIn(t, url, { streamPrefix });
    for (const name of queueNames) {
      const { config } = await jsm.streams.info(`${streamPrefix}rollcall-${name}`);
      await jsm.streams.update(config.name, { ...config, max_msgs: 1 });
      await queue.publish(name, body('a'));
    }
    t.same(await queueProblems(queue), []);
    for (const name of queueNames) {
      await t.rejects(queue.publish(name, body('b')), { name: 'QueueUnavailable' });
      await queue.publish(name, body('a'));
    }
    const full = 'The stream of the queue in NATS is full: maximum messages exceeded: remove its limits';
    for (const when of ['asked once', 'asked again'])
      t.same(await queueProblems(queue), refusedWith(`imports: ${full}; invitations: ${full}`), when);
    await (await new Taker(t, queue, { queue: 'imports' }).next()).ack();
    const left = refusedWith(`invitations: ${full}`);
    await until('there is room', async () => isDeepStrictEqual(await queueProblems(queue), left));
    await (await new Taker(t, queue, { queue: 'invitations' }).next()).ack();
    await until('there is room', async () => (await queueProblems(queue)).length === 0);
    await holds(t, queue, 1, { of: 'invitations', why: 'what was refused is there' });
    t.same(await queueProblems(queue), []);
  });

  const push = { deliver_subject: 'somewhere' };
  const wrong: readonly [
    string,
    RegExp,
    (jsm: JetStreamManager, name: string, subject: string) => Promise<unknown>,
  ][] = [
    [
      'memory storage',
      /has storage "memory" instead of "file".*delete it/,
      (jsm, name, subject) =>
        jsm.streams.add({
          name,
          subjects: [`${subject}.*`],
          retention: RetentionPolicy.Workqueue,
          storage: StorageType.Memory,
        }),
    ],
    [
      'another retention',
      /has retention "limits" instead of "workqueue".*delete it/,
      (jsm, name, subject) => jsm.streams.add({ name, subjects: [`${subject}.*`] }),
    ],
    [
      'subjects of another stream',
      /cannot be created in NATS: subjects overlap/,
      (jsm, name, subject) => jsm.streams.add({ name: `${name}-other`, subjects: [`${subject}.>`] }),
    ],
    [
      'a push consumer',
      /is a push consumer.*delete it/,
      async (jsm, name, subject) => {
        await jsm.streams.add({ name, subjects: [`${subject}.*`], retention: RetentionPolicy.Workqueue });
        await jsm.consumers.add(name, { ...push, durable_name: name, ack_policy: AckPolicy.Explicit });
      },
    ],
    [
      'a consumer that sees only some subjects',
      /sees only some subjects.*delete it/,
      async (jsm, name, subject) => {
        await jsm.streams.add({ name, subjects: [`${subject}.*`], retention: RetentionPolicy.Workqueue });
        await jsm.consumers.add(name, {
          durable_name: name,
          ack_policy: AckPolicy.Explicit,
          filter_subject: `${subject}.x`,
        });
      },
    ],
    [
      'a consumer of somebody else',
      /cannot be created in NATS: multiple non-filtered consumers/,
      async (jsm, name, subject) => {
        await jsm.streams.add({ name, subjects: [`${subject}.*`], retention: RetentionPolicy.Workqueue });
        await jsm.consumers.add(name, { durable_name: 'somebody', ack_policy: AckPolicy.Explicit });
      },
    ],
  ];
  for (const [what, message, make] of wrong) {
    t.test(`${what}: a person is told what to do`, async (t) => {
      const { streamPrefix, stream, subject } = await names(t);
      t.teardown(() => jsm.streams.delete(`${stream}-other`).catch(() => false));
      await make(jsm, stream, subject);
      const opening = openNatsQueue({ url, streamPrefix });
      await t.rejects(opening, { name: 'QueueUnavailable', message });
      await t.rejects(opening, { message: stream }, 'the stream is named');
    });
  }

  t.test('more replicas than there are servers: a person is told', async (t) => {
    const { streamPrefix } = await names(t);
    const opening = openNatsQueue({ url, streamPrefix, replicas: 3 });
    await t.rejects(opening, { name: 'QueueUnavailable', message: /replicas/ });
  });

  t.test('installations with prefixes of their own see nothing of each other', async (t) => {
    const [red, blue] = [await names(t), await names(t)];
    const one = await openIn(t, url, red);
    const two = await openIn(t, url, blue);
    await publish(one, 'a');
    t.equal(await new Taker(t, two).nothing(), true);
    await holds(t, one, 1);
    await holds(t, two, 0);
  });

  t.test('several processes start at once', async (t) => {
    const { streamPrefix } = await names(t);
    const queues = await Promise.all(Array.from({ length: 6 }, () => openIn(t, url, { streamPrefix })));
    await Promise.all(queues.map((queue, n) => publish(queue, `${n}`)));
    const [first] = queues;
    if (first !== undefined) await holds(t, first, 6);
  });
});

t.test('limits of the account and of the server', { skip: skipWithoutOwnNats }, async (t) => {
  const user = 'users: [{ user: u, password: p }]';
  const store = JSON.stringify(t.testdir());
  const jetstream = (limit: string): string => `jetstream { store_dir: ${store}, ${limit} }`;
  for (const [config, reason] of [
    [
      `accounts { A { jetstream: { max_file: 600 }, ${user} } }`,
      'The account of NATS_URL is over its limits of JetStream: resource limits exceeded for account: raise them',
    ],
    [
      `accounts { A { jetstream: enabled, ${user} } }, ${jetstream('max_file_store: 700')}`,
      'The server of NATS has no room for JetStream: insufficient resources: raise its max_file_store, or free its disk',
    ],
  ] as const) {
    const server = await NatsServer.start({ config });
    t.teardown(() => server.stop());
    const queue = await openIn(t, `nats://u:p@127.0.0.1:${server.port}`);
    const flood = async (): Promise<void> => {
      for (const digit of '123456') await queue.publish('imports', body(digit.repeat(200)));
    };
    await t.rejects(flood(), { name: 'QueueUnavailable', message: reason });
    t.same(await queueProblems(queue), refusedWith(`imports: ${reason}`));
  }
  const server = await NatsServer.start({ config: jetstream('max_file_store: 0') });
  t.teardown(() => server.stop());
  const message = /^The stream .* cannot be created in NATS: insufficient storage resources available$/;
  await t.rejects(openNatsQueue({ url: server.url }), { name: 'QueueUnavailable', message });
});

t.test('users', { skip: skipWithoutOwnNats }, async (t) => {
  const config = 'authorization { users: [{ user: "roll call", password: "p@ss/w:rd" }] }';
  const server = await NatsServer.start({ config });
  t.teardown(() => server.stop());
  const at = (credentials: string): string => `nats://${credentials}@127.0.0.1:${server.port}`;
  const queue = await openIn(t, `${at('roll%20call:p%40ss%2Fw%3Ard')},127.0.0.1:${server.port}`);
  await queue.publish('imports', body('a'));
  for (const url of [at('roll%20call:wrong'), at('nobody:x'), server.url]) {
    await t.rejects(openNatsQueue({ url }), {
      name: 'QueueUnavailable',
      message: /^NATS refuses the user of NATS_URL$/,
    });
  }
});

t.test('a user who may not use JetStream', { skip: skipWithoutOwnNats }, async (t) => {
  const config = 'authorization { users: [{ user: u, password: p, permissions: { publish: "_INBOX.>" } }] }';
  const server = await NatsServer.start({ config });
  t.teardown(() => server.stop());
  const queue = await openNatsQueue({ url: `nats://u:p@127.0.0.1:${server.port}`, timeoutMs: 500 }).catch(
    (error: unknown) => error,
  );
  t.match(queue, { name: 'QueueUnavailable' });
});

t.test(
  'a server without encryption is refused where encryption is asked for',
  { skip: skipWithoutOwnNats },
  async (t) => {
    const server = await NatsServer.start();
    t.teardown(() => server.stop());
    const queue = await openIn(t, server.url.replace('nats:', 'tls:'));
    await t.rejects(queue.publish('imports', body('a')), { name: 'QueueUnavailable' });
  },
);
