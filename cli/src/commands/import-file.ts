import { createHash } from 'node:crypto';
import {
  problemInFile,
  readCsvList,
  type CsvList,
  type CsvProblem,
  type ImportOutcome,
  type ImportRequest,
  ImportEngine,
  isOfEmployees,
  type CsvMapping,
  type Preview,
  plain,
} from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';
import { type ImportKind, importMethod } from '@rollcall/contracts';
import { rejectionTexts } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { bytesOf, textOf } from '../given-file.js';
import { watchImports } from './imports-watch.js';
import { requireCompany } from '../known-company.js';
import { answer } from '../output.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';
import { changeText, previewLines } from '../imports/preview-text.js';
import { findRows, rulesVersion } from '@rollcall/host';
import { withCompanyStates } from '../company-states.js';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

export interface ImportFileOptions {
  readonly company: number;
  readonly mapping?: string;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

interface FileImport {
  readonly kind: ImportKind;
  readonly file: string;
  readonly list: CsvList;
  readonly options: ImportFileOptions;
}

/** Bad rows that are printed. */
const shownProblems = 20;

/** Shows what the file would do, asks, and applies exactly that (docs/administration.md, "Lists from files"). */
export async function importFile(
  io: CliIo,
  kind: ImportKind,
  file: string,
  options: ImportFileOptions,
): Promise<void> {
  const mapping =
    options.mapping === undefined
      ? {}
      : readMapping(options.mapping, await textOf(options.mapping, '--mapping'));
  const list = await readCsvList(kind, await bytesOf(file, 'The file'), mapping);
  if (!list.ok) throw refusalOf(file, list.problems);
  let queued: string | undefined;
  await withStores(io, async (session) => {
    queued = await previewAndApply(session, { kind, file, list, options });
  });
  if (queued === undefined) return;
  io.err(`Import ${queued} is queued.\n`);
  await watchImports(io, { operation: queued, json: options.json ?? false });
}

/** The operation of an import that was queued. */
async function previewAndApply(session: StoresSession, call: FileImport): Promise<string | undefined> {
  const { company, json = false, yes = false } = call.options;
  await requireCompany(session, company);
  const engine = await commandEngine(session);
  const { result: shown, isChange } = rehearsed(
    call,
    await engine.accept(requestOf(session, call, undefined)),
  );
  if (!json)
    await session.io.out(
      previewLines(call.kind, company, shown)
        .map((line) => `${line}\n`)
        .join(''),
    );
  if (!isChange || !(await isAgreed(session.io, call, shown))) {
    const result = yes ? { companyId: company, operationId: null, changed: false } : shown;
    await answer(session.io, json, result, ['Nothing was changed.']);
    return undefined;
  }
  const outcome = await engine.accept(requestOf(session, call, shown.PreviewId));
  const { kind, operationId } = appliedOf(call, outcome);
  if (kind === 'queued') return operationId;
  await answer(session.io, json, { companyId: company, operationId, changed: true }, [
    `Done: import ${operationId}.`,
  ]);
  return undefined;
}

function requestOf(
  session: StoresSession,
  { kind, list, options }: FileImport,
  previewId: string | undefined,
): ImportRequest {
  const { company, reason } = options;
  return {
    kind,
    companyId: company,
    // Memory of the body may be handed over.
    body: Uint8Array.from(list.body),
    bodySha256: createHash('sha256').update(list.body).digest('hex'),
    context: session.context(company, reason),
    method: importMethod(kind, company),
    dryRun: previewId === undefined,
    prefersAsync: false,
    ifMatch: null,
    ifPreview: previewId,
  };
}

function rehearsed(call: FileImport, outcome: ImportOutcome): Extract<ImportOutcome, { kind: 'dry-run' }> {
  if (outcome.kind === 'dry-run') return outcome;
  throw refusedBy(call, outcome);
}

function appliedOf(
  call: FileImport,
  outcome: ImportOutcome,
): { kind: 'done' | 'queued'; operationId: string } {
  if (outcome.kind === 'done' || outcome.kind === 'queued') return outcome;
  throw refusedBy(call, outcome);
}

const elsewhere = 'Nothing was changed. Look at the preview again: run the command once more.';

function refusedBy({ file, list, options: { company } }: FileImport, outcome: ImportOutcome): Refusal {
  if (outcome.kind === 'refused')
    return refusalOf(
      file,
      outcome.errors.map((text) => problemInFile(list, text)),
    );
  if (outcome.kind === 'queue-full')
    return new Refusal(`Too many imports of company ${company} are pending: wait.`);
  return new Refusal(`The list of company ${company} was changed meanwhile, by somebody else. ${elsewhere}`);
}

const lineText = ({ line, problem }: CsvProblem): string =>
  `${line === undefined ? '' : `line ${line}: `}${plain(problem)}`;

function refusalOf(file: string, problems: readonly CsvProblem[]): Refusal {
  const more = problems.length - shownProblems;
  return new Refusal(
    [
      `${plain(file)} cannot be imported, and nothing was changed:`,
      ...problems.slice(0, shownProblems).map((problem) => `  ${lineText(problem)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

/** As the import itself would be refused. */
function refuseOverLimit({ file, options: { company: companyId } }: FileImport, shown: Preview): void {
  if (!isOfEmployees(shown)) return;
  const { Inserted: inserted, Removed: removed, BatchLimit } = shown;
  const { Present: present, Limit: limit, Exceeded, OverLimit } = BatchLimit;
  if (!Exceeded || limit === null || OverLimit === 'hold') return;
  const over = { companyId, present, inserted, removed, limit };
  const texts = rejectionTexts({ reason: 'batch-limit-exceeded', ...over });
  throw refusalOf(
    file,
    texts.map((problem) => ({ problem })),
  );
}

/** With `--json` nobody is asked, so that its output is one object. A refusal where somebody says no. */
async function isAgreed({ ask }: CliIo, call: FileImport, shown: Preview): Promise<boolean> {
  const { company, yes = false, json = false } = call.options;
  if (yes || json) return yes;
  refuseOverLimit(call, shown);
  const change = changeText(company, shown);
  if (ask === undefined) throw new Refusal(`Nobody can be asked here: use --yes to ${change}.`);
  if ((await ask(`Type "yes" to ${change}: `)).trim() === 'yes') return true;
  throw new Refusal('Nothing was changed.');
}

/** Accepts an import in this process, as the api does in its threads. */
async function commandEngine(session: StoresSession): Promise<ImportEngine> {
  const { readModels, config, io } = session;
  return new ImportEngine({
    ...(await withCompanyStates(session)),
    findRows: findRows(readModels),
    temporaryFolder: config.adapters.dataDir,
    processId: io.newId(),
    rules: rulesVersion,
    stopping: () => false,
  });
}

const Mapping = Type.Object(
  {
    columns: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
    ),
    values: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
      ),
    ),
    delimiter: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
  },
  { additionalProperties: false },
);
const isMapping = Compile(Mapping);

/** `WrongUse` where the file is no mapping. */
function readMapping(file: string, text: string): CsvMapping {
  const value = parsedJson(text);
  if (value === undefined) throw new WrongUse(`${file} is not JSON.`);
  if (isMapping.Check(value)) return value;
  const [problem] = isMapping.Errors(value);
  throw new WrongUse(
    `${file} is no mapping: ${problem?.instancePath ?? ''} ${problem?.message ?? ''}. ` +
      'It is {"columns": {"Site": "Dimensions.Location", "Salary": null}, "values": {"Gender": {"M": 0}}, "delimiter": ";"}.',
  );
}
