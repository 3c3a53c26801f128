import { closeSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, makePrivateFolder, syncFolder } from '../keys/files.js';
import { composeMail } from './compose.js';
import {
  SingleFlight,
  Places,
  type Mail,
  type Mailer,
  type MailOutcome,
  type SendOptions,
} from '@rollcall/application';

export interface FileMailerOptions {
  /** Made with the first message; only its owner may look into it. */
  readonly folder: string;
}

/**
 * Puts each message into a folder as one `.eml` file, whole and durable. The file's name is the Message-ID, so that a repeat is
 * the same file. A disk that is full or a folder that cannot be written to defers.
 */
export function openFileMailer({ folder }: FileMailerOptions): Mailer {
  const outbox: Outbox = {
    folder,
    writing: new Places(SYNCS),
    made: new SingleFlight(() => makePrivateFolder(folder)),
    sync: new SingleFlight(() => syncFolder(folder)),
  };
  return { send: (mail, options) => write(outbox, mail, options), close: () => Promise.resolve() };
}

/** How many files are synced at once: as many threads do so for the whole process, and others must not wait behind all of them. */
const SYNCS = 4;

interface Outbox {
  readonly folder: string;
  readonly writing: Places;
  /** Makes the folder where it is missing. */
  readonly made: SingleFlight<void>;
  /** Of the folder: messages that are written at the same time share one. */
  readonly sync: SingleFlight<void>;
}

async function write(outbox: Outbox, mail: Mail, { mayLeave }: SendOptions = {}): Promise<MailOutcome> {
  const composed = composeMail(mail);
  if ('outcome' in composed) return composed;
  if (mayLeave?.() === false) return { outcome: 'withheld' };
  try {
    await place(outbox, mail.messageId, composed.raw);
  } catch (error) {
    return deferredBy(error);
  }
  return { outcome: 'sent', response: 'written to the outbox' };
}

async function place({ folder, writing, made, sync }: Outbox, messageId: string, raw: Buffer): Promise<void> {
  // A name of its own for each message and process: what a crash leaves of it is written over by the repeat.
  const beside = join(folder, `.${messageId}.${process.pid}.new`);
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

/** Only the sync is waited for: the other steps take microseconds each, and a turn of the loop for each would cost more. */
async function writeDurably(path: string, raw: Buffer): Promise<void> {
  const file = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < raw.length;) at += writeSync(file, raw, at);
    await synced(file);
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
