import type { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';
import * as values from '../options/values.js';
import { addAuditCopies } from './audit-copies.js';
import { auditLog, type LogOptions } from './audit-log.js';
import { addQuestionCommands } from './audit-questions.js';
import { auditVerify } from './audit-verify.js';

export function addAuditCommands(audit: Command, io: CliIo): void {
  audit
    .command('log')
    .description('the events of a company: when, what, who, and which call')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--from <when>', 'a day or a moment in UTC, inclusive', values.from)
    .option('--to <when>', 'a day or a moment in UTC, inclusive', values.to)
    .option('--type <names>', 'only these event types, with commas between them', values.eventNames)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        'rollcall audit log --company 7',
        'rollcall audit log --company 7 --from 2026-11-01 --to 2026-11-21T12:00:00Z',
        'rollcall audit log --company 7 --type EmployeeSetReplaced,CompanyConfigured',
      ),
    )
    .action((options: LogOptions) => auditLog(io, options));
  addQuestionCommands(audit, io);
  audit
    .command('verify')
    .description('check every event and every staged piece, rebuild the read models and compare')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('rollcall audit verify', 'rollcall audit verify --json'))
    .action((options: { json?: boolean }) => auditVerify(io, options));
  addAuditCopies(audit, io);
}
