import { closeSync, fsync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, makePrivateFolder, syncFolder } from '../keys/files.js';
import { removeLeftovers } from '../leftovers.js';
import { composeMail } from './compose.js';
import {
  SingleFlight,
  Limiter,
  type Mail,
  type Mailer,
  type MailOutcome,
  type SendOptions,
} from '@rollcall/application';

/** Of an invitation: its mail is not written longer. */
const claimMs = 600_000;

/** One durable `.eml` file per message, named by its Message-ID. A full disk or a read-only folder defers. */
export function openFileMailer({ folder }: { readonly folder: string }): Mailer {
  removeLeftovers(folder, /^\..*\.new$/, claimMs);
  const outbox: Outbox = {
    folder,
    writing: new Limiter(maxConcurrentSyncs),
    made: new SingleFlight(() => makePrivateFolder(folder)),
    sync: new SingleFlight(() => syncFolder(folder)),
  };
  return { send: (mail, options) => write(outbox, mail, options), close: () => Promise.resolve() };
}

/** More would use up the process's threads for file work. */
const maxConcurrentSyncs = 4;

interface Outbox {
  readonly folder: string;
  readonly writing: Limiter;
  readonly made: SingleFlight<boolean>;
  readonly sync: SingleFlight<void>;
}

async function write(outbox: Outbox, mail: Mail, { mayLeave }: SendOptions = {}): Promise<MailOutcome> {
  const composed = composeMail(mail);
  if ('outcome' in composed) return composed;
  if (mayLeave?.() === false) return { outcome: 'withheld' };
  const sent: MailOutcome = { outcome: 'sent', response: 'written to the outbox' };
  return putInPlace(outbox, mail.messageId, composed.raw).then(() => sent, deferredBy);
}

async function putInPlace(
  { folder, writing, made, sync }: Outbox,
  messageId: string,
  raw: Buffer,
): Promise<void> {
  // A retry replaces what a killed process has left of the mail.
  const beside = join(folder, `.${messageId}.new`);
  const leave = await writing.enter();
  try {
    await writeDurably(beside, raw);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
    await made.once();
    await writeDurably(beside, raw);
  } finally {
    leave();
  }
  renameSync(beside, join(folder, `${messageId}.eml`));
  await sync.once();
}

const synced = promisify(fsync);

/** Awaits only the sync: the other steps take microseconds. */
async function writeDurably(path: string, raw: Buffer): Promise<void> {
  const file = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < raw.length;) at += writeSync(file, raw, at);
    await synced(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

const diskProblems = [
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'EIO',
  'EMFILE',
  'ENFILE',
];

function deferredBy(error: unknown): MailOutcome {
  const code = diskProblems.find((each) => hasCode(error, each));
  if (code === undefined) throw error;
  return { outcome: 'deferred', code, problem: 'the outbox cannot be written to' };
}
