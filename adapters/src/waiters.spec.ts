import { execFileSync } from 'node:child_process';
import { MessageChannel, Worker } from 'node:worker_threads';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { ProcessHint } from './waiters.js';

const module = import.meta.resolve('./waiters.js');

const thread = (then: string): Worker =>
  new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', () => undefined);
     import('${module}').then(({ ProcessHint }) => {
       const hint = new ProcessHint('one', () => parentPort.postMessage('told'));
       ${then}
     });`,
    { eval: true },
  );

/** A hint alone keeps no process alive. */
function staysAlive(t: Test): void {
  const { port1, port2 } = new MessageChannel();
  port1.ref();
  port1.on('message', () => undefined);
  t.teardown(() => port2.close());
}

const wokenHere = (name: string): { readonly hint: ProcessHint; readonly woken: Promise<void> } => {
  let resolve = (): void => undefined;
  const woken = new Promise<void>((done) => (resolve = done));
  return { hint: new ProcessHint(name, () => resolve()), woken };
};

t.test('other threads are woken, and this one is told by them', async (t) => {
  const listening = thread(`hint.listen(); parentPort.postMessage('listens');`);
  await once(listening, 'message');
  const { hint } = wokenHere('one');
  hint.wake();
  t.strictSame(await once(listening, 'message'), ['told']);
  const here = wokenHere('one');
  here.hint.listen();
  const waking = thread('hint.wake();');
  await here.woken;
  await Promise.all([listening.terminate(), waking.terminate()]);
});

t.test('other handles of the thread are woken, and whoever tells', async (t) => {
  staysAlive(t);
  const [one, other] = [wokenHere('two'), wokenHere('two')];
  one.hint.listen();
  other.hint.listen();
  one.hint.wake();
  await Promise.all([one.woken, other.woken]);
});

t.test('who listens is told once, whatever comes before it listens again', async (t) => {
  staysAlive(t);
  let times = 0;
  const all = wokenHere('three');
  const hint = new ProcessHint('three', () => (times += 1));
  hint.listen();
  hint.listen();
  for (let time = 0; time < 5; time++) hint.wake();
  all.hint.listen();
  hint.wake();
  await all.woken;
  t.equal(times, 1);
});

t.test('the stores of a folder are hardly ever taken for one another', async (t) => {
  staysAlive(t);
  let forNothing = 0;
  for (let folder = 0; folder < 100; folder++) {
    const woken: true[] = [];
    const queue = wokenHere(`rollcall-queue:/srv/${folder}/queue`);
    void queue.woken.then(() => woken.push(true));
    queue.hint.listen();
    wokenHere(`rollcall-event-log:/srv/${folder}/event-log`).hint.wake();
    const later = wokenHere('later');
    later.hint.listen();
    later.hint.wake();
    await later.woken;
    forNothing += woken.length;
    queue.hint.wake();
    await queue.woken;
  }
  t.ok(forNothing < 10, `${forNothing} of 100 were told for nothing`);
});

t.test('a process that listens ends all the same', (t) => {
  const program = `import('${module}').then(({ ProcessHint }) => new ProcessHint('four', () => {}).listen());`;
  execFileSync(process.execPath, ['-e', program], { timeout: 20_000 });
  t.end();
});
