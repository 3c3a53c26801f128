import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Queue } from '@rollcall/application';
import { openQueue } from './queue.adapters.js';
import { body, textOf } from './queue.support.js';

/** Says each thing that it did in a line of its own, ended by a full stop: a line without one was cut off. */
const say = (line: string): number => writeSync(1, `${line}.\n`);
const forEver = { signal: new AbortController().signal, maxUnsettled: 4 };

async function publishForEver(queue: Queue): Promise<void> {
  const write = async (writer: number): Promise<never> => {
    for (let n = 0; ; n++) {
      const text = `${process.pid} ${writer} ${n}`;
      await queue.publish('imports', body(text));
      say(text);
    }
  };
  await Promise.all([1, 2, 3, 4].map(write));
}

/** Acks every second message that it takes. */
async function consumeForEver(queue: Queue): Promise<void> {
  let turn = 0;
  for await (const delivery of queue.consume('imports', forEver)) {
    turn += 1;
    if (turn % 2 === 0) continue;
    say(`done ${textOf(delivery)}`);
    await delivery.ack();
  }
}

/** Takes one message and acks it when it is told to. */
async function holdOne(queue: Queue): Promise<void> {
  for await (const delivery of queue.consume('imports', forEver)) {
    say('took');
    await once(process.stdin, 'data');
    await delivery.ack();
    say('acked');
    await once(process.stdin, 'data');
  }
}

const modes: Readonly<Record<string, (queue: Queue) => Promise<void>>> = {
  publish: publishForEver,
  consume: consumeForEver,
  hold: holdOne,
};

const [adapter = '', location = '', ackDeadlineMs = '', mode = ''] = process.argv.slice(2);
const queue = await openQueue(adapter, location, { ackDeadlineMs: Number(ackDeadlineMs) });
say('open');
await modes[mode]?.(queue);
