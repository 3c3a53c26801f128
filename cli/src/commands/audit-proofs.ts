import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { keepCalls, keepCallsVariable, type KeepCalls } from '../options/keep-calls.js';
import * as values from '../options/values.js';
import { auditAnchor } from './audit-anchor.js';
import { auditProve, auditVerifyProof, type ProveOptions, type VerifyProofOptions } from './audit-prove.js';
import { auditVerify, type VerifyOptions } from './audit-verify.js';

const keysText = "public keys of anchors, <kid>.pem, instead of the installation's";

export function addProofCommands(audit: Command, io: CliIo): void {
  audit
    .command('verify')
    .description('check every event, staged piece and anchor, rebuild the read models and compare')
    .option('--anchor <file>', 'anchors that were kept elsewhere; repeat it for more files', values.paths)
    .option('--keys <folder>', keysText, values.path)
    .addOption(keepCalls())
    .json()
    .examples('rollcall audit verify', 'rollcall audit verify --anchor /mnt/auditor/anchors.ndjson')
    .action((options: VerifyOptions & KeepCalls) =>
      auditVerify({ ...io, env: { ...io.env, ...keepCallsVariable(options) } }, options),
    );
  audit
    .command('anchor')
    .description(
      'print a signed value over all streams; kept elsewhere, it shows later what was cut off or changed',
    )
    .option('--file <file>', 'add it to this file', values.path)
    .json()
    .examples('rollcall audit anchor', 'rollcall audit anchor --file /mnt/auditor/anchors.ndjson')
    .action((options: { file?: string }) => auditAnchor(io, options));
  addProofs(audit, io);
}

function addProofs(audit: Command, io: CliIo): void {
  audit
    .command('prove')
    .description('print a proof that an event was in the log when it was anchored')
    .requiredOption('--event <id>', 'the id of the event', values.eventId)
    .option('--anchor <file>', 'anchors that were kept elsewhere; repeat it for more files', values.paths)
    .json()
    .examples('rollcall audit prove --event 0d4f7e52-9f0c-5b1e-8a3e-2f6f1f0e9a77')
    .action((options: ProveOptions) => auditProve(io, options));
  audit
    .command('verify-proof')
    .description('check such a proof, without the log')
    .requiredOption('--file <file>', 'the proof', values.path)
    .option('--keys <folder>', keysText, values.path)
    .json()
    .examples('rollcall audit verify-proof --file proof.json --keys /mnt/auditor/keys')
    .action((options: VerifyProofOptions) => auditVerifyProof(io, options));
}
