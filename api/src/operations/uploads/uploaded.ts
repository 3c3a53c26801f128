import { createHash } from 'node:crypto';
import {
  type CsvColumn,
  csvFields,
  type CsvProblem,
  type ImportRequest,
  monotonicMs,
  readCsvList,
} from '@rollcall/application';
import { type ImportKind, importMethod } from '@rollcall/contracts';
import { type ActionAsk, contextOf } from '../frame/ask.js';
import { packed, unpacked } from '../frame/files.js';
import { numberText } from '../frame/numbers.js';
import { shownRows } from './shown-rows.js';

/** What a form has brought, or kept from the step before. */
export interface Uploaded {
  readonly kind: ImportKind;
  readonly keepsRenames: boolean;
  /** Packed, for the next step. */
  readonly file: string;
  /** Of a CSV file, each with its field. */
  readonly columns: readonly CsvColumn[];
}

/** Of a form with a file. */
export const maxUploadBytes = 64 * 1024 * 1024;

export interface ReadList {
  readonly uploaded: Uploaded;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the file, where each element begins; empty for JSON. */
  readonly lines: readonly number[];
}

type Reading =
  | (ReadList & { readonly kind: 'body' })
  | { readonly kind: 'no-file'; readonly text: string }
  | { readonly kind: 'bad'; readonly uploaded: Uploaded; readonly problems: readonly CsvProblem[] };

/** The field of a form that says what becomes of a column. */
export const columnField = (at: number): string => `column-${at}`;
/** Its value for a column that is left out. */
export const leftOut = '-';
/** The column's name, where the next file may have another there. */
export const nameField = (at: number): string => `name-${at}`;
export const dimensionOf = (column: string): string =>
  column.startsWith('Dimensions.') ? column : `Dimensions.${column}`;

const hasTwo = ({ text = '', file = '' }: ActionAsk['form']): boolean => text.trim() !== '' && file !== '';
const fileIn = ({ text = '', file = '' }: ActionAsk['form']): string | Promise<string> =>
  text.trim() === '' ? file : packed(Buffer.from(text));
const limitOf = ({ kit }: ActionAsk, kind: ImportKind): number =>
  kind === 'employees' ? kit.config.employeeBodyLimit : kit.config.managerBodyLimit;

/** Reads the file of a form, as CSV unless it begins as JSON does. */
export async function readUploaded(ask: ActionAsk): Promise<Reading> {
  const { form } = ask;
  const kind = form['kind'] === 'managers' ? 'managers' : 'employees';
  if (hasTwo(form)) return { kind: 'no-file', text: 'Choose a file or paste the list, not both' };
  const file = await fileIn(form);
  const maxBytes = Math.min(limitOf(ask, kind), maxUploadBytes);
  const bytes = file === '' ? Buffer.of() : await unpacked(file, maxBytes);
  if (bytes === undefined)
    return { kind: 'no-file', text: `The file has more than ${numberText(maxBytes)} bytes` };
  if (bytes.length === 0) return { kind: 'no-file', text: 'Choose a file, or paste the list' };
  const uploaded = { kind, keepsRenames: form['renames'] === 'keep', file, columns: [] } as const;
  const start = bytes.toString('utf8', 0, 100);
  if (!/^\s*[[{]/.test(start)) return readCsv(ask, uploaded, bytes);
  const json = bytes.subarray(start.startsWith('\ufeff') ? 3 : 0);
  return { kind: 'body', uploaded, bytes: Uint8Array.from(json), lines: [] };
}

async function readCsv(ask: ActionAsk, uploaded: Uploaded, bytes: Uint8Array): Promise<Reading> {
  const { kind } = uploaded;
  const chosen = (name: string, at: number): CsvColumn['field'] => {
    const { [columnField(at)]: field = '', [nameField(at)]: of = name } = ask.form;
    if (of !== name) return undefined;
    if (field === leftOut) return null;
    return csvFields(kind).includes(field) || field === dimensionOf(name) ? field : undefined;
  };
  const read = await readCsvList(kind, bytes, { chosen, maxBytes: limitOf(ask, kind) });
  const of = { ...uploaded, columns: read.columns };
  if (!read.ok) return { kind: 'bad', uploaded: of, problems: read.problems };
  return { kind: 'body', uploaded: of, bytes: read.body, lines: read.lines };
}

/** A dry run without `preview`; with it, exactly that is carried out. */
export function requestOf(
  ask: Pick<ActionAsk, 'kit' | 'operator' | 'operationId' | 'receivedAt'>,
  { kind, keepsRenames }: Pick<Uploaded, 'kind' | 'keepsRenames'>,
  bytes: Uint8Array,
  given: { readonly companyId: number; readonly reason?: string; readonly preview?: string },
): ImportRequest {
  const { companyId, reason, preview } = given;
  return {
    kind,
    companyId,
    // Its memory may be handed over.
    body: Uint8Array.from(bytes),
    bodySha256: createHash('sha256').update(bytes).digest('hex'),
    context: contextOf(ask, companyId, reason),
    method: importMethod(kind, companyId),
    dryRun: preview === undefined,
    details: preview === undefined ? shownRows + 1 : 0,
    prefersAsync: false,
    ifMatch: null,
    keepsRenames,
    answerBy: monotonicMs() + ask.kit.config.timeouts.answer,
    ...(preview !== undefined && { ifPreview: preview }),
  };
}
