import { restore as restoreCopy, type Manifest } from '@rollcall/adapters';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { readConfig } from '../config.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { progressBar } from '../progress-bar.js';
import { auditVerify } from './audit-verify.js';
import { alone } from '../session.js';
import { refuseServers } from './backup.js';
import { projectionsRebuild } from './projections-rebuild.js';

interface RestoreOptions {
  readonly from: string;
  readonly dataDir: string;
  readonly keys?: string;
  readonly json?: boolean;
}

const onCopy = (io: CliIo, dataDir: string, { streamPrefix }: Manifest): CliIo => ({
  ...io,
  env: {
    ...io.env,
    DATA_DIR: dataDir,
    EVENT_LOG: 'embedded',
    READ_MODELS: 'embedded',
    STREAM_PREFIX: streamPrefix,
    SHARED_KEYS: '',
  },
});

async function restore(io: CliIo, options: RestoreOptions): Promise<void> {
  const config = readConfig({ ...io.env, DATA_DIR: options.dataDir });
  refuseServers(config);
  await alone(io, config, () => restoreAlone(io, options));
}

async function restoreAlone(io: CliIo, { from, dataDir, keys, json = false }: RestoreOptions): Promise<void> {
  const bar = progressBar(io, 0n);
  const quiet = json ? { ...io, out: () => Promise.resolve() } : io;
  const manifest = await restoreCopy({
    from,
    dataDir,
    keyFolder: keys,
    onCopied: (bytes, of) => bar.show(BigInt(bytes), BigInt(of)),
    verify: async (folder, copied) => {
      bar.end();
      await projectionsRebuild(onCopy(quiet, folder, copied), false);
      await auditVerify(onCopy(quiet, folder, copied), {});
    },
  }).finally(bar.end);
  await answer(io, json, { dataDir, ...manifest }, [
    `What was answered before ${manifest.startedAt} is in ${dataDir}: start Rollcall with DATA_DIR=${dataDir}.`,
    'Tokens and users that were revoked since are valid again, and invitations that were sent since are sent again: docs/administration.md, "Backup and restore".',
    'Numbers of users and surveys are given again: change the token key and invitation.pem, and remove the old public keys, before anybody is added. Settings, webhooks and holds are the old ones too.',
  ]);
}

export function addCommands(command: Command, io: CliIo): void {
  command
    .requiredOption('--from <folder>', 'the copy', values.path)
    .requiredOption(
      '--data-dir <folder>',
      'where the installation is to lie: a folder that is new or empty',
      values.path,
    )
    .option('--keys <folder>', "the keys, instead of the copy's: needed for one without keys", values.path)
    .json()
    .examples('rollcall restore --from /backups/2026-11-21 --data-dir /srv/rollcall')
    .action((options: RestoreOptions) => restore(io, options));
}
