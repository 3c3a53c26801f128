import { EventLogUnavailable, type RunResult } from '@rollcall/application';
import { newWorkerCounts, runWorker } from '@rollcall/worker';

import fc from 'fast-check';
import tap from 'tap';
import { RecordedLog } from '../support/recorded-log.js';
import { HandQueue, type HandDelivery } from './hand-queue.js';
import { ended, idle } from './hand-runner.js';

const companies = [7, 8];
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What happens, in this order, while looks take as long as they take. */
const steps = fc.array(fc.record({ companyId: fc.constantFrom(...companies), outage: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});

tap.test('whatever is queued before its message is run, however runs and messages meet', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, fc.scheduler(), async (steps, scheduler) => {
      const queue = new HandQueue();
      const end = new AbortController();
      const pending = new Map(companies.map((company) => [company, 0]));
      const running = new Set<number>();
      const outages = steps.map(({ outage }) => outage);

      /** Looks at the moment when it is asked and answers later, as a reader of the log does. */
      const runOldest = async (companyId: number): Promise<RunResult> => {
        if (running.has(companyId)) throw new Error('two runs at once');
        running.add(companyId);
        const left = pending.get(companyId) ?? 0;
        await scheduler.schedule(Promise.resolve(), `look at ${companyId}`);
        running.delete(companyId);
        if (outages.shift() === true) throw new EventLogUnavailable('away');
        if (left === 0) return idle(companyId);
        pending.set(companyId, (pending.get(companyId) ?? 0) - 1);
        return { ...ended(companyId), ...(left === 1 && { idleUpTo: 9 }) };
      };

      const redeliver = (delivery: HandDelivery, companyId: number): void =>
        void delivery.settled.then((call) => {
          if (call.startsWith('nak')) redeliver(queue.deliver(companyId, 2), companyId);
        });
      const sequence = scheduler.scheduleSequence(
        steps.map(({ companyId }) => ({
          label: `queue one of ${companyId}`,
          builder: async () => {
            pending.set(companyId, (pending.get(companyId) ?? 0) + 1);
            redeliver(queue.deliver(companyId), companyId);
          },
        })),
      );
      const worker = runWorker({
        queue,
        runner: { runOldest },
        counts: newWorkerCounts(),
        logger: new RecordedLog(),
        concurrency: 4,
        signal: end.signal,
      });
      do {
        await scheduler.waitIdle();
        await settle();
      } while (!sequence.done || scheduler.count() > 0);
      end.abort();
      await worker;
      return [...pending.values()].every((left) => left === 0);
    }),
    { numRuns: 300 },
  );
  t.pass();
});
