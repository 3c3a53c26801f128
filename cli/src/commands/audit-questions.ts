import { auditParts } from '@rollcall/application';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { auditLog, type LogOptions } from './audit-log.js';
import {
  auditExplain,
  auditHistory,
  type AuditExplainOptions,
  type AuditHistoryOptions,
} from './audit-people.js';
import { auditDiff, auditState, type AuditDiffOptions, type AuditStateOptions } from './audit-state.js';

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

/** Questions about the past, answered from the log alone. */
export function addQuestionCommands(audit: Command, io: CliIo): void {
  addLog(audit, io);
  addStates(audit, io);
  addPeople(audit, io);
}

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
