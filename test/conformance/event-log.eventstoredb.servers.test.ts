import { randomUUID } from 'node:crypto';
import tap from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { eventLogConformance } from './event-log.suite.js';

/** Every log is an installation of its own, with its prefix, on one server. */
const onServer = (url: string) => (): string => `t-${randomUUID()}- ${url}`;

const standIn = await EventStoreDbServer.start();
tap.teardown(() => standIn.stop());
eventLogConformance('eventstoredb', onServer(standIn.url));

const real = process.env['EVENTSTOREDB_URL'];
if (real !== undefined) eventLogConformance('eventstoredb', onServer(real));
