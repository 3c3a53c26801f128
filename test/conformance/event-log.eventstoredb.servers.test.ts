import { randomUUID } from 'node:crypto';
import tap from 'tap';
import { forms } from '../servers/eventstoredb-forms.js';
import { eventLogConformance, eventLogCrashConformance } from './event-log.suite.js';

/** Every log is an installation of its own, with its prefix, on one server. */
const onServer = (url: string) => (): string => `t-${randomUUID()}- ${url}`;

const started = await Promise.all(Object.values(forms).map((start) => start()));
tap.teardown(() => Promise.all(started.map((form) => form.stop())));
const real = process.env['EVENTSTOREDB_URL'];
for (const url of [...started.map((form) => form.url), ...(real === undefined ? [] : [real])]) {
  eventLogConformance('eventstoredb', onServer(url));
  eventLogCrashConformance('eventstoredb', onServer(url));
}
