import { randomUUID } from 'node:crypto';
import tap from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { eventLogConformance, eventLogCrashConformance } from './event-log.suite.js';

/** Every log is an installation of its own, with its prefix, on one server. */
const onServer = (url: string) => (): string => `t-${randomUUID()}- ${url}`;

const standIn = await EventStoreDbServer.start();
tap.teardown(() => standIn.stop());
const real = process.env['EVENTSTOREDB_URL'];
for (const url of [standIn.url, ...(real === undefined ? [] : [real])]) {
  eventLogConformance('eventstoredb', onServer(url));
  eventLogCrashConformance('eventstoredb', onServer(url));
}
