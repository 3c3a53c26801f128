import { Argument } from 'commander';
import type { Command } from '../command.js';
import type { ImportKind } from '@rollcall/contracts';
import type { CliIo } from '../cli-io.js';
import { importFile, type ImportFileOptions } from './import-file.js';
import * as values from '../options/values.js';

const descriptions: Readonly<Record<ImportKind, string>> = {
  employees: 'replace the whole list of employees by a CSV file, after a preview',
  managers: 'replace all manager roles by a CSV file, after a preview',
};

export function addCommands(group: Command, io: CliIo): void {
  for (const kind of ['employees', 'managers'] as const) {
    group
      .command(kind)
      .description(descriptions[kind])
      .addArgument(new Argument('<file>', 'CSV in UTF-8; the first line has the names of the columns'))
      .requiredOption('--company <id>', 'the company', values.positiveInteger)
      .option('--mapping <file>', 'JSON that says which column is which field, and what its texts mean')
      .option('--yes', 'apply it without asking')
      .option('--reason <text>', 'why, for the audit log', values.reason)
      .option('--json', 'print one JSON object; without --yes the preview')
      .examples(
        `rollcall import ${kind} ${kind}.csv --company 7`,
        `rollcall import ${kind} export.csv --company 7 --mapping columns.json --yes --reason "monthly list"`,
      )
      .action((file: string, options: ImportFileOptions) => importFile(io, kind, file, options));
  }
}
