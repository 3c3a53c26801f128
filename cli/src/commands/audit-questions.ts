import { auditParts } from '@rollcall/application';
import type { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';
import * as values from '../options/values.js';
import { auditDiff, auditState, type AuditDiffOptions, type AuditStateOptions } from './audit-state.js';

const withFormats = (command: Command): Command =>
  command
    .option('--json', 'print one JSON object')
    .option('--csv', 'print comma-separated values, with one line of names');

const ofCompany = (command: Command): Command =>
  command
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--part <names>', `only some of ${auditParts.join(',')}`, values.auditPartNames);

/** Questions about the past, answered from the log alone. */
export function addQuestionCommands(audit: Command, io: CliIo): void {
  withFormats(
    ofCompany(audit.command('state').description('what a company consisted of at a moment'))
      .option('--at <when>', 'a day or a moment in UTC, inclusive', values.to)
      .option('--revision <number>', "a revision of the company's stream", values.revision),
  )
    .addHelpText(
      'after',
      examples(
        'rollcall audit state --company 7 --at 2026-03-03',
        'rollcall audit state --company 7 --revision 12 --part employees --csv',
      ),
    )
    .action((options: AuditStateOptions) => auditState(io, options));
  withFormats(
    ofCompany(audit.command('diff').description('what differs between two moments of a company'))
      .requiredOption('--from <when>', 'a day or a moment in UTC, or a revision', values.fromMoment)
      .option('--to <when>', 'the same, inclusive; now by default', values.toMoment),
  )
    .addHelpText(
      'after',
      examples(
        'rollcall audit diff --company 7 --from 2026-03-01 --to 2026-03-03',
        'rollcall audit diff --company 7 --from 12 --to 13 --json',
      ),
    )
    .action((options: AuditDiffOptions) => auditDiff(io, options));
}
