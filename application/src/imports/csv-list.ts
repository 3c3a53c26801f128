import { constants, isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { employeeFieldNames, employeeField, isEmployeeField, type ImportKind } from '@rollcall/contracts';
import { CsvError, type Info, parse, type Parser } from 'csv-parse';

/** How the columns of a file become fields of the API; whatever it does not name goes by the column's own name. */
export interface CsvMapping {
  /** Column to field (`Dimensions.Location` for a dimension), or null to leave it out. */
  readonly columns?: Readonly<Record<string, string | null>>;
  /** Field to texts of the file, each with the value that is sent for it. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** One character; otherwise the one of `,` `;` and tab that the first line with text has most of, outside quotes. */
  readonly delimiter?: string;
  /** Instead of `columns`, by position as names may repeat: the field, null to leave it out, undefined to go by the name. */
  readonly chosen?: (column: string, at: number) => CsvColumn['field'];
  /** Of the body; by default what one text can hold. */
  readonly maxBytes?: number;
}

export interface CsvColumn {
  readonly name: string;
  /** The field that it becomes; null: left out; undefined: no field has its name. */
  readonly field: string | null | undefined;
}

export interface CsvProblem {
  /** From 1, of the record's first line; undefined for the whole file. */
  readonly line?: number;
  readonly problem: string;
}

/** A body as the API takes it, with the line of the file where each element begins. */
export interface CsvList {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly lines: readonly number[];
}

/** `columns`: of the first line; empty where that cannot be read. */
type CsvReading = { readonly columns: readonly CsvColumn[] } & (
  ({ readonly ok: true } & CsvList) | { readonly ok: false; readonly problems: readonly CsvProblem[] }
);

const dimension = /^Dimensions\.(?<name>.+)$/s;

const fields: Readonly<Record<ImportKind, readonly string[]>> = {
  employees: employeeFieldNames.filter((name) => name !== 'Dimensions'),
  managers: ['DimensionName', 'DepartmentName', 'FirstName', 'LastName', 'Email', 'PrimaryContact'],
};
const requiredFields: Readonly<Record<ImportKind, readonly string[]>> = {
  employees: employeeFieldNames.filter((name) => employeeField(name).required),
  managers: fields.managers.slice(0, -1),
};

/** `First name`, `FIRST_NAME` and `Firstname` are one column. */
const folded = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');

function columnOf(kind: ImportKind, name: string, at: number, mapping: CsvMapping): CsvColumn {
  const { columns = {}, chosen = () => (Object.hasOwn(columns, name) ? columns[name] : undefined) } = mapping;
  const mapped = chosen(name, at);
  if (mapped !== undefined) return { name, field: mapped };
  if (kind === 'employees' && dimension.test(name)) return { name, field: name };
  return { name, field: fields[kind].find((field) => folded(field) === folded(name)) };
}

const isFieldOf = (kind: ImportKind, field: string): boolean =>
  fields[kind].includes(field) || (kind === 'employees' && dimension.test(field));

function headProblems(kind: ImportKind, head: readonly CsvColumn[], mapping: CsvMapping): CsvProblem[] {
  const targets = head.flatMap(({ field }) => field ?? []);
  const known = fields[kind].join(', ');
  const more = kind === 'employees' ? `${known} and Dimensions.<name>` : known;
  return [
    ...head
      .filter(({ field }) => field === undefined)
      .map(
        ({ name }) =>
          `column ${JSON.stringify(name)} is no field. Fields are ${more}; map it, or map it to null to leave it out`,
      ),
    ...[...new Set([...targets, ...Object.keys(mapping.values ?? {})])]
      .filter((field) => !isFieldOf(kind, field))
      .map((field) => `${field} in the mapping is no field. Fields are ${more}`),
    ...Object.keys(mapping.columns ?? {}).flatMap((column) => {
      const count = head.filter(({ name }) => name === column).length;
      const isClear = count === 1 || (count > 1 && mapping.columns?.[column] === null);
      const many = count === 0 ? 'no' : 'more than one';
      return isClear
        ? []
        : [`the file has ${many} column ${JSON.stringify(column)}, which the mapping names`];
    }),
    ...targets
      .filter((field, at) => targets.indexOf(field) === at && targets.lastIndexOf(field) > at)
      .map((field) => `two columns are the field ${field}`),
    ...requiredFields[kind]
      .filter((field) => !targets.includes(field))
      .map((field) => `a column for ${field} is missing, which is required`),
  ].map((problem) => ({ line: 1, problem }));
}

const isCode = (field: string): boolean => isEmployeeField(field) && employeeField(field).kind === 'code';

/** Texts stay as they are: the API's rules judge them, and name the line. */
function valueOf(field: string, text: string, { values = {} }: CsvMapping): unknown {
  const mapped = values[field];
  if (mapped && Object.hasOwn(mapped, text)) return mapped[text];
  if (isCode(field)) return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  const isFlag = field === 'PrimaryContact' && /^(?:true|false)$/i.test(text);
  return isFlag ? text.toLowerCase() === 'true' : text;
}

/** An empty cell is an absent field. */
function elementText(record: readonly string[], columns: readonly CsvColumn[], mapping: CsvMapping): string {
  const element: Record<string, unknown> = {};
  // A column `Dimensions.__proto__` is a member as any other.
  const dimensions = Object.create(null) as Record<string, unknown>;
  for (const [at, text] of record.entries()) {
    const field = columns[at]?.field;
    if (typeof field !== 'string' || text === '') continue;
    const [, name] = dimension.exec(field) ?? [];
    if (name === undefined) element[field] = valueOf(field, text, mapping);
    else dimensions[name] = valueOf(field, text, mapping);
  }
  return JSON.stringify(
    Object.keys(dimensions).length > 0 ? { ...element, Dimensions: dimensions } : element,
  );
}

/** Of the first line that is not empty; what is quoted does not count. */
function commonestDelimiter(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, mostBytesOfRecord)).replace(/"[^"]*"/g, '');
  const [first = ''] = /[^\r\n]+/.exec(start) ?? [];
  const counts = [',', ';', '\t'].map((sign) => [sign, first.split(sign).length] as const);
  return counts.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

/** What no list has, but would cost the memory of the process. */
class NoList extends Error {}

/** Parsed without a turn for other work. */
const bytesInTurn = 64 * 1024;
const mostBytesOfRecord = 1024 * 1024;
const mostColumns = 1_000;

async function* inTurns(bytes: Uint8Array, { info }: Pick<Parser, 'info'>): AsyncGenerator<Uint8Array> {
  let last = { records: 0, from: 0 };
  for (let from = 0; from < bytes.length; from += bytesInTurn) {
    if (info.records > last.records) last = { records: info.records, from };
    else if (from - last.from > mostBytesOfRecord)
      throw new NoList('the line is longer than 1 MiB: look for a quotation mark that is not closed');
    yield bytes.subarray(from, from + bytesInTurn);
    await setImmediate();
  }
}

const wholeFile = (problem: string): CsvReading => ({ ok: false, columns: [], problems: [{ problem }] });

class ListOfRecords {
  readonly #kind: ImportKind;
  readonly #mapping: CsvMapping;
  readonly lines: number[] = [];
  readonly elements: string[] = [];
  head: readonly CsvColumn[] | undefined;
  /** Within cells; the parser counts each as two lines. */
  crlfs = 0;
  /** Of the last record, empty lines before it not counted. */
  #lastLine = 0;
  #bytes = 1;

  constructor(kind: ImportKind, mapping: CsvMapping) {
    this.#kind = kind;
    this.#mapping = mapping;
  }

  /** Null: the parser keeps nothing. */
  add(record: readonly string[], { lines, empty_lines }: Pick<Info, 'lines' | 'empty_lines'>): null {
    if (record.length > mostColumns) throw new NoList(`the file has more than ${mostColumns} columns`);
    if (this.head === undefined)
      this.head = record.map((name, at) => columnOf(this.#kind, name, at, this.#mapping));
    else {
      const text = elementText(record, this.head, this.#mapping);
      this.#bytes += Buffer.byteLength(text) + 1;
      const { maxBytes = constants.MAX_STRING_LENGTH - 1024 } = this.#mapping;
      if (this.#bytes > maxBytes)
        throw new NoList(`up to here the list has more than ${maxBytes} bytes as JSON`);
      this.lines.push(this.#lastLine + empty_lines + 1);
      this.elements.push(text);
    }
    this.crlfs += record.join().split('\r\n').length - 1;
    this.#lastLine = lines - empty_lines - this.crlfs;
    return null;
  }
}

/** The first line that is no CSV. */
async function parseInto(
  records: ListOfRecords,
  bytes: Uint8Array,
  delimiter = commonestDelimiter(bytes),
): Promise<CsvProblem | undefined> {
  const on_record = (record: string[], info: Info) => records.add(record, info);
  const parser = parse({ bom: true, delimiter, skip_empty_lines: true, on_record });
  try {
    await pipeline(inTurns(bytes, parser), parser.resume());
    return undefined;
  } catch (error) {
    if (error instanceof NoList) return { line: parser.info.lines - records.crlfs, problem: error.message };
    if (!(error instanceof CsvError)) throw error;
    return { line: Number(error['lines'] ?? 1) - records.crlfs, problem: syntaxText(error) };
  }
}

export const csvFields = (kind: ImportKind): readonly string[] => fields[kind];

/** Reads a CSV file (RFC 4180, UTF-8, its first line the names of columns) as the body of an import. Values are not judged here. */
export async function readCsvList(
  kind: ImportKind,
  bytes: Uint8Array,
  mapping: CsvMapping = {},
): Promise<CsvReading> {
  if (!isUtf8(bytes)) return wholeFile('the file is not UTF-8: save it as "CSV UTF-8"');
  const records = new ListOfRecords(kind, mapping);
  const broken = await parseInto(records, bytes, mapping.delimiter);
  const { head: columns, elements, lines } = records;
  if (broken !== undefined) return { ok: false, columns: columns ?? [], problems: [broken] };
  if (columns === undefined)
    return wholeFile('the file is empty: its first line has the names of the columns');
  const problems = headProblems(kind, columns, mapping);
  if (problems.length > 0) return { ok: false, columns, problems };
  const list = `[${elements.join(',')}]`;
  const body = Buffer.from(kind === 'employees' ? list : `{"ManagerRoles":${list}}`);
  return { ok: true, columns, body, lines };
}

const syntaxText = ({ code }: CsvError): string =>
  code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'
    ? 'the line has another number of cells than the first one: look for a missing quotation mark or delimiter'
    : 'the line is no CSV: look for a quotation mark that is not doubled or not closed';

const element =
  /^(?:\[(?<employee>\d+)\](?: EmployeeID '.*')?: |ManagerRoles\[(?<role>\d+)\]\.?)(?<rest>.*)$/s;

/** A text of `ValidationErrors`, by the line of the file instead of the element, where it is known; `[3]` in it becomes `line 5`. */
export function problemInFile({ lines }: Pick<CsvList, 'lines'>, text: string): CsvProblem {
  const { employee, role, rest = text } = element.exec(text)?.groups ?? {};
  const line = lines[Number(employee ?? role ?? -1)];
  if (line === undefined) return { problem: text };
  const problem = rest.replace(
    /that of \[(\d+)\]/,
    (_, other: string) => `that of line ${lines[Number(other)] ?? '?'}`,
  );
  return { line, problem };
}
