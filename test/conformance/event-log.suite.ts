import type { EventLog } from '@rollcall/application';
import t, { type Test } from 'tap';
import { openLog } from './event-log.adapters.js';
import { appendTests } from './event-log.append.suite.js';
import { crashTests } from './event-log.crash.suite.js';
import { installationTests } from './event-log.installations.suite.js';
import { readTests } from './event-log.read.suite.js';
import { subscriptionTests } from './event-log.subscription.suite.js';

/** What the suites run against: each call of `open` is another handle on the same, at first empty, log. */
export interface LogUnderTest {
  readonly adapter: string;
  readonly location: string;
  /** `installation` is put before the stream names: another one in the same place. */
  open(installation?: string): Promise<EventLog>;
}

export type OpenFresh = (t: Test) => Promise<{ readonly log: EventLog; readonly under: LogUnderTest }>;

const freshOf =
  (adapter: string, locate: (t: Test) => string): OpenFresh =>
  async (t) => {
    const location = locate(t);
    const opened: EventLog[] = [];
    const open = async (installation = ''): Promise<EventLog> => {
      const log = await openLog(adapter, location, installation);
      opened.push(log);
      return log;
    };
    t.teardown(async () => {
      for (const log of opened) await log.close();
    });
    return { log: await open(), under: { adapter, location, open } };
  };

/** The rules of the event log's port, for any adapter. `locate` gives the place of a new and empty log. */
export function eventLogConformance(adapter: string, locate: (t: Test) => string): void {
  const fresh = freshOf(adapter, locate);
  t.test(`${adapter}: append`, (t) => appendTests(t, fresh));
  t.test(`${adapter}: read`, (t) => readTests(t, fresh));
  t.test(`${adapter}: subscribe`, (t) => subscriptionTests(t, fresh));
  t.test(`${adapter}: installations`, (t) => installationTests(t, fresh));
}

/** The same port, by processes that are killed. */
export function eventLogCrashConformance(adapter: string, locate: (t: Test) => string): void {
  t.test(`${adapter}: crash`, { timeout: 600_000 }, (t) => crashTests(t, freshOf(adapter, locate)));
}
