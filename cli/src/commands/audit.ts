import { auditParts } from '@rollcall/application';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { keepCalls, keepCallsVariable, type KeepCalls } from '../options/keep-calls.js';
import * as values from '../options/values.js';
import { auditAnchor } from './audit-anchor.js';
import { auditExport, type ExportOptions } from './audit-export.js';
import { auditImport, type ImportOptions } from './audit-import.js';
import { auditLog, type LogOptions } from './audit-log.js';
import {
  auditExplain,
  auditHistory,
  type AuditExplainOptions,
  type AuditHistoryOptions,
} from './audit-people.js';
import { auditProve, auditVerifyProof, type ProveOptions, type VerifyProofOptions } from './audit-prove.js';
import { auditDiff, auditState, type AuditDiffOptions, type AuditStateOptions } from './audit-state.js';
import { auditVerify, type VerifyOptions } from './audit-verify.js';

const withFormats = (command: Command): Command =>
  command.json().option('--csv', 'print comma-separated values, with one line of names');

const withReveal = (command: Command): Command =>
  withFormats(command)
    .option('--reveal', 'show personal values; this is recorded')
    .option('--reason <text>', 'why they are read, with --reveal', values.reason);

const ofCompany = (command: Command): Command =>
  command
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--part <names>', `only some of ${auditParts.join(',')}`, values.auditPartNames);

function addLog(audit: Command, io: CliIo): void {
  withFormats(
    audit
      .command('log')
      .description('the events of a company, or of the installation: when, what, who, and which call')
      .option('--company <id>', 'the company', values.positiveInteger)
      .option('--from <when>', 'a day or a moment in UTC, inclusive', values.from)
      .option('--to <when>', 'a day or a moment in UTC, inclusive', values.to)
      .option('--type <names>', 'only these event types, with commas between them', values.eventNames)
      .option('--operation <id>', 'only those of one call', values.operationId)
      .option('--employee <id>', 'only those of an EmployeeID of the company', values.employeeId)
      .option('--user <id>', 'only those of an API user', values.positiveInteger)
      .option('--counts', 'how many of each type, instead of the events')
      .option('--tree', 'below the event or the call that led to it'),
  )
    .examples(
      'rollcall audit log --company 7',
      'rollcall audit log --company 7 --from 2026-11-01 --to 2026-11-21T12:00:00Z --tree',
      'rollcall audit log --type EmployeeSetReplaced,CompanyConfigured --counts',
    )
    .action((options: LogOptions) => auditLog(io, options));
}

function addPeople(audit: Command, io: CliIo): void {
  withReveal(
    audit
      .command('history')
      .description('what happened to an employee, and by which call')
      .requiredOption('--company <id>', 'the company', values.positiveInteger)
      .requiredOption('--employee <id>', 'the EmployeeID', values.employeeId),
  )
    .examples('rollcall audit history --company 7 --employee A-17')
    .action((options: AuditHistoryOptions) => auditHistory(io, options));
  withReveal(
    audit
      .command('explain')
      .description('what one call did, why, and what followed')
      .requiredOption('--operation <id>', 'the ApiOperationId', values.operationId),
  )
    .examples('rollcall audit explain --operation 019aa2f0-5c00-7000-8000-000000000001')
    .action((options: AuditExplainOptions) => auditExplain(io, options));
}

function addStates(audit: Command, io: CliIo): void {
  withReveal(
    ofCompany(audit.command('state').description('what a company consisted of at a moment'))
      .option('--at <when>', 'a day or a moment in UTC, inclusive', values.to)
      .option('--revision <number>', "a revision of the company's stream", values.revision),
  )
    .examples(
      'rollcall audit state --company 7 --at 2026-03-03',
      'rollcall audit state --company 7 --revision 12 --part employees --csv',
    )
    .action((options: AuditStateOptions) => auditState(io, options));
  withReveal(
    ofCompany(audit.command('diff').description('what differs between two moments of a company'))
      .requiredOption('--from <when>', 'a day or a moment in UTC, or a revision', values.fromMoment)
      .option('--to <when>', 'the same, inclusive; now by default', values.toMoment),
  )
    .examples(
      'rollcall audit diff --company 7 --from 2026-03-01 --to 2026-03-03',
      'rollcall audit diff --company 7 --from 12 --to 13 --json',
    )
    .action((options: AuditDiffOptions) => auditDiff(io, options));
}

function addCopies(audit: Command, io: CliIo): void {
  audit
    .command('export')
    .description('write the stored events to files, for an auditor or another installation')
    .option('--company <id>', 'only of this company', values.positiveInteger)
    .option('--all', 'of the whole log')
    .requiredOption('--out <folder>', 'where the files go: a folder that is new or empty', values.path)
    .json()
    .examples(
      'rollcall audit export --all --out /exports/2026-11-21',
      'rollcall audit export --company 7 --out /exports/7',
    )
    .action((options: ExportOptions) => auditExport(io, options));
  audit
    .command('import')
    .description('put an export into an empty event log, event for event')
    .requiredOption('--from <folder>', 'the export', values.path)
    .option('--verify-only', 'check the export, and import nothing')
    .json()
    .examples(
      'rollcall audit import --from /exports/2026-11-21',
      'rollcall audit import --from /exports/7 --verify-only',
    )
    .action((options: ImportOptions) => auditImport(io, options));
}

const keysText = "public keys of anchors, <kid>.pem, instead of the installation's";

function addVerifying(audit: Command, io: CliIo): void {
  audit
    .command('verify')
    .description('check every event, chunk of large data and anchor, rebuild the read models and compare')
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

export function addCommands(audit: Command, io: CliIo): void {
  for (const add of [addLog, addStates, addPeople, addCopies, addVerifying, addProofs]) add(audit, io);
}
