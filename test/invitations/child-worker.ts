import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CompanyStateCache, messageIds, CompanyLoads, RateLimiter } from '@rollcall/application';
import { createLogger } from '@rollcall/host';
import {
  openEmbeddedQueue,
  openInvitationLinks,
  openKeys,
  openSmtpMailer,
  openStores,
} from '@rollcall/adapters';
import { newInvitationCounts, runDueInvitations, runInvitations } from '@rollcall/worker';

import { Digester } from '@rollcall/employee-lists';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** The sending part of a worker as production runs it, in haste, and by a clock that a file moves on. */
const haste = 10;
const dataDir = process.env['DATA_DIR'] ?? '';
const clockFile = process.env['CLOCK_FILE'] ?? '';
const clock = { now: () => Number(readFileSync(clockFile, 'utf8')) };

const { log, readModels, snapshots } = await openStores(embeddedAdapters(dataDir));
const { digestKey } = await openKeys({ folder: join(dataDir, 'keys') });
const queue = await openEmbeddedQueue({ folder: join(dataDir, 'queue'), ackDeadlineMs: 1_000 });
const digester = new Digester(digestKey);
const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 8 * 1024 * 1024 });
const perSecond = Number(process.env['PER_SECOND']);
const rate = { total: perSecond, perCompany: perSecond };
const { signal } = new AbortController();
const logger = createLogger(process.env['LOG_LEVEL'] ?? 'silent');
const sleep = (ms: number): Promise<void> => wait(ms / haste);
const counts = newInvitationCounts();
const linkFor = await openInvitationLinks({
  keyFolder: join(dataDir, 'keys'),
  url: 'https://surveys.example.com',
});
process.stdout.write('The worker runs\n');
const send = {
  log,
  readModels,
  clock,
  digester,
  companies: new CompanyLoads({ log, digester, states }),
  mailer: openSmtpMailer({ url: process.env['SMTP_URL'] ?? '', timeouts: { totalMs: 2_000 } }),
  limiter: new RateLimiter(rate, { now: () => performance.now() }),
  linkFor,
  messageIdOf: messageIds(digestKey, 'example.com'),
  sender: { name: 'Rollcall', address: 'surveys@example.com' },
  wait: sleep,
};
await Promise.all([
  runInvitations({ queue, counts, logger, concurrency: 16, underWay: 64, signal, sleep, send }),
  runDueInvitations({ ...send, snapshots, queue, logger, signal, sleep }),
]);
