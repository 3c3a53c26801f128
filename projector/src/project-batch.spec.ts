import tap from 'tap';
import { Batch, type BatchEvent, type FailedEvent, firstOfEach } from './project-batch.js';

const taken = (revision: number, stream = 'survey-1') =>
  ({ recorded: { stream, revision } }) as FailedEvent['failed'];

const event = (size: number, changes: number): BatchEvent =>
  ({ ...taken(0), prepared: { event: { size }, changes: { length: changes } } }) as unknown as BatchEvent;

/** How many of these fill a batch. */
function untilFull(add: (batch: Batch) => unknown): number {
  const batch = new Batch();
  let count = 0;
  for (; !batch.isFull && count < 10_000; count += 1) add(batch);
  return count;
}

tap.test('a batch is full of events, of writes or of bytes', (t) => {
  t.equal(
    untilFull((batch) => batch.add(event(1, 1))),
    2_000,
  );
  t.equal(
    untilFull((batch) => batch.unreadable.push({ failed: taken(0), error: undefined })),
    2_000,
  );
  t.equal(
    untilFull((batch) => batch.add(event(1, 80))),
    100,
  );
  t.equal(
    untilFull((batch) => batch.add(event(64 * 1024, 1))),
    32,
  );
  t.end();
});

tap.test('a stream is parked at its first failure, in whatever order they were found', (t) => {
  const failures = [
    ...[3, 1, 2].map((revision) => ({ failed: taken(revision), error: undefined })),
    ...[1, 5].map((revision) => ({ failed: taken(revision, 'survey-2'), error: undefined })),
  ];
  t.strictSame(
    [...firstOfEach(failures)].map(([stream, { failed }]) => [stream, failed.recorded.revision]).sort(),
    [
      ['survey-1', 1],
      ['survey-2', 1],
    ],
  );
  t.end();
});
