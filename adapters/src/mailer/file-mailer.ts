import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, makePrivateFolder, syncFolder, writeSynced } from '../keys/files.js';
import { composeMail } from './compose.js';
import {
  SingleFlight,
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
  const outbox: Outbox = { folder, sync: new SingleFlight(() => syncFolder(folder)) };
  return { send: (mail, options) => write(outbox, mail, options), close: () => Promise.resolve() };
}

interface Outbox {
  readonly folder: string;
  /** Of the folder: messages that are written at the same time share one. */
  readonly sync: SingleFlight<void>;
}

async function write(
  { folder, sync }: Outbox,
  mail: Mail,
  { mayLeave }: SendOptions = {},
): Promise<MailOutcome> {
  const composed = await composeMail(mail);
  if ('outcome' in composed) return composed;
  if (mayLeave?.() === false) return { outcome: 'withheld' };
  try {
    await makePrivateFolder(folder);
    // A name of its own for each message and process: what a crash leaves of it is written over by the repeat.
    const beside = join(folder, `.${mail.messageId}.${process.pid}.new`);
    await writeSynced(beside, composed.raw, { mode: 0o600, flag: 'w' });
    await rename(beside, join(folder, `${mail.messageId}.eml`));
    await sync.once();
  } catch (error) {
    return deferredBy(error);
  }
  return { outcome: 'sent', response: 'written to the outbox' };
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
