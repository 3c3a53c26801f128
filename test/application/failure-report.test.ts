import { FailureReport, problemOf, ReadModelsUnavailable, within } from '@rollcall/application';
import t from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { RecordedLog } from '../support/recorded-log.js';

t.test('the change with where it happened, then one line a minute', async (t) => {
  const [logger, clock] = [new RecordedLog(), new ManualTime(0)];
  const report = new FailureReport({ logger, clock, message: 'it was not done' });
  const lines = () =>
    logger.lines.map(({ level, message, details }) => [level, message, 'frames' in details]);
  const change = ['warn', 'it was not done', true];
  const still = ['warn', 'still: it was not done', false];
  for (let second = 0; second <= 120; second += 1) {
    report.failed(new ReadModelsUnavailable('away'));
    clock.pass(1_000);
  }
  t.strictSame(lines(), [change, still, still]);
  t.match(logger.lines[0]?.details, { problem: 'away' });
  report.succeeded();
  report.failed(new Error('secret'), { delay: 7 });
  t.strictSame(lines().slice(3), [change], 'what fails after it worked is a change again');
  t.match(logger.lines[3]?.details, { problem: 'Error', delay: 7 });
  for (const [ms, line] of [
    [599_999, still],
    [600_000, change],
  ] as const) {
    clock.pass(ms);
    report.failed(new Error('secret'));
    t.strictSame(lines().at(-1), line, `${ms} ms after the last report`);
  }
});

t.test('a question without an answer says for how long, not only "Error"', async (t) => {
  const late = await within(new Promise(() => undefined), 1).catch(problemOf);
  t.equal(late, 'no answer within 1 ms');
});
