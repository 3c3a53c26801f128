import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { importStatuses } from '../imports/rows.js';
import * as values from '../options/values.js';
import { cancelImport, decideImport, retryImport, type ManageOptions } from './imports-manage.js';
import { undoImportCommand, type UndoOptions } from './imports-undo.js';
import { listImports, showImport, type ListOptions } from './imports-show.js';
import { watchImports, type WatchOptions } from './imports-watch.js';

function addReading(imports: Command, io: CliIo): void {
  imports
    .command('list')
    .description('imports and what became of them, newest first')
    .option('--company <id>', 'only those of this company', values.positiveInteger)
    .addOption(new Option('--state <state>', 'only those in this state').choices(importStatuses))
    .option('--top <count>', 'the most imports', values.positiveInteger, values.usualTop)
    .json()
    .examples('rollcall imports list --company 7 --state failed', 'rollcall imports list --top 100 --json')
    .action((options: ListOptions) => listImports(io, options));
  imports
    .command('show')
    .description('one import: its state, its place in the queue, its errors and its attempts')
    .requiredOption('--operation <id>', 'the ApiOperationId of the call', values.operationId)
    .json()
    .examples('rollcall imports show --operation 019aa2f0-5c00-7000-8000-000000000001')
    .action((options: { operation: string; json?: boolean }) => showImport(io, options));
}

function addWatch(imports: Command, io: CliIo): void {
  const watch = imports
    .command('watch')
    .description('follow an import, or all that a company has pending now, to the end')
    .addOption(
      new Option('--operation <id>', 'the ApiOperationId of the call; this or --company is required')
        .argParser(values.operationId)
        .conflicts('company'),
    )
    .option('--company <id>', 'the company; this or --operation is required', values.positiveInteger)
    .option('--json', 'print one JSON object at the end')
    .examples(
      'rollcall imports watch --operation 019aa2f0-5c00-7000-8000-000000000001',
      'rollcall imports watch --company 7',
    );
  watch.action((options: WatchOptions) => {
    if (options.operation === undefined && options.company === undefined)
      watch.error("error: one of '--operation <id>' and '--company <id>' is needed");
    return watchImports(io, options);
  });
}

function addManaging(imports: Command, io: CliIo): void {
  imports
    .command('retry')
    .description('queue an import that failed, was rejected or cancelled once more, as a new one')
    .requiredOption('--operation <id>', 'the ApiOperationId of the call', values.operationId)
    .option('--force', 'even where a newer set was accepted since')
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples(
      'rollcall imports retry --operation 019aa2f0-5c00-7000-8000-000000000001 --reason "integration is on again"',
      'rollcall imports retry --operation 019aa2f0-5c00-7000-8000-000000000001 --force',
    )
    .action((options: ManageOptions & { force?: boolean }) => retryImport(io, options));
  imports
    .command('cancel')
    .description('take a pending import out of the queue')
    .requiredOption('--operation <id>', 'the ApiOperationId of the call', values.operationId)
    .option('--reason <text>', 'why, for the audit log and for the caller', values.reason)
    .json()
    .examples(
      'rollcall imports cancel --operation 019aa2f0-5c00-7000-8000-000000000001 --reason "the wrong file"',
    )
    .action((options: ManageOptions) => cancelImport(io, options));
}

function addUndo(imports: Command, io: CliIo): void {
  imports
    .command('undo')
    .description('take back what an import changed, as an import of its own')
    .requiredOption('--operation <id>', 'the ApiOperationId of the call', values.operationId)
    .requiredOption('--reason <text>', 'why, for the audit log', values.reason)
    .option('--force', 'leave alone what a later import changed, and restore the rest')
    .option('--dry-run', 'only show what it would do')
    .json()
    .examples(
      'rollcall imports undo --operation 019aa2f0-5c00-7000-8000-000000000001 --reason "the wrong file" --dry-run',
      'rollcall imports undo --operation 019aa2f0-5c00-7000-8000-000000000001 --reason "the wrong file"',
    )
    .action((options: UndoOptions) => undoImportCommand(io, options));
}

function addDeciding(imports: Command, io: CliIo): void {
  for (const decision of ['approve', 'reject'] as const)
    imports
      .command(decision)
      .description(
        decision === 'approve'
          ? 'have a held import carried out, where it still comes to what was shown'
          : 'end a held import without a change',
      )
      .requiredOption('--operation <id>', 'the ApiOperationId of the call', values.operationId)
      .requiredOption('--reason <text>', 'why, for the audit log and for the caller', values.reason)
      .json()
      .examples(
        `rollcall imports ${decision} --operation 019aa2f0-5c00-7000-8000-000000000001 --reason "asked Acme's HR"`,
      )
      .action((options: ManageOptions) => decideImport(io, decision, options));
}

export function addCommands(imports: Command, io: CliIo): void {
  for (const add of [addReading, addWatch, addManaging, addUndo, addDeciding]) add(imports, io);
}
