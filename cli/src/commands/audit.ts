import type { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';
import { addAuditCopies } from './audit-copies.js';
import { addQuestionCommands } from './audit-questions.js';
import { auditVerify } from './audit-verify.js';

export function addAuditCommands(audit: Command, io: CliIo): void {
  addQuestionCommands(audit, io);
  audit
    .command('verify')
    .description('check every event and every staged piece, rebuild the read models and compare')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('rollcall audit verify', 'rollcall audit verify --json'))
    .action((options: { json?: boolean }) => auditVerify(io, options));
  addAuditCopies(audit, io);
}
