import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { auditExport, type ExportOptions } from './audit-export.js';
import { auditImport, type ImportOptions } from './audit-import.js';

export function addAuditCopies(audit: Command, io: CliIo): void {
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
