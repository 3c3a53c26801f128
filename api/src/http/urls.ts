import { surveys } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';
import { Compile, type Validator } from 'typebox/compile';
import { IsObject, type TObject, type TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { NoQuery } from '@rollcall/contracts';
import { isStorable } from '@rollcall/employee-lists/text';
import { invalidRequest } from './errors.js';

/** The address for the router: a path that is not percent-encoded UTF-8 is taken literally. */
export function literalUrl(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return isPercentEncoded(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

function isPercentEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is at the path. A bad `companyId` is the guards' 401 (docs/contract, "401"). */
export function isUnknownPath({ is404, params }: FastifyRequest): boolean {
  if (is404) return true;
  if (typeof params !== 'object' || params === null) return false;
  const { id, '*': file }: { readonly id?: unknown; readonly '*'?: unknown } = params;
  return (typeof id === 'string' && !isId(id)) || (typeof file === 'string' && !isFileName(file));
}

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && surveys.isPositiveId(Number(text));

const isFileName = (path: string): boolean => /^[\w.-]+$/.test(path) && !path.includes('..');

interface RawQuery {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly malformed: boolean;
}

export function splitQuery(text: string): { [key: string]: unknown } {
  // URLSearchParams drops one leading question mark; a second one belongs to the first name.
  const raw: RawQuery = { pairs: [...new URLSearchParams(`?${text}`)], malformed: !isPercentEncoded(text) };
  return { ...raw };
}

const isRawQuery = (query: unknown): query is RawQuery =>
  typeof query === 'object' && query !== null && 'pairs' in query && 'malformed' in query;

/** Typed values by the schema; names ignore case. Other names are a 400: a mistyped `dryRun` would otherwise import. */
export function checkQuery(request: FastifyRequest): void {
  const raw = request.query;
  if (!isRawQuery(raw)) return;
  const reader = readerFor(request.routeOptions.schema?.querystring);
  const errors = request.url.includes('#') ? ["The address must not contain '#'; write %23 in a value"] : [];
  const values = reader.collect(raw, errors);
  errors.push(...reader.problems(values));
  if (errors.length > 0) throw invalidRequest(errors);
  request.query = values;
}

export function hasFlag({ query }: FastifyRequest, name: string): boolean {
  if (isRawQuery(query))
    return query.pairs.some(([sent, value]) => sent.toLowerCase() === name.toLowerCase() && value === 'true');
  return typeof query === 'object' && query !== null && Reflect.get(query, name) === true;
}

const readers = new WeakMap<object, QueryReader>();

function readerFor(schema: unknown): QueryReader {
  const known = IsObject(schema) ? schema : NoQuery;
  let reader = readers.get(known);
  if (!reader) readers.set(known, (reader = new QueryReader(known)));
  return reader;
}

class QueryReader {
  readonly #schema: TObject;
  readonly #validator: Validator;
  readonly #names: ReadonlyMap<string, string>;

  constructor(schema: TObject) {
    this.#schema = schema;
    this.#validator = Compile(schema);
    this.#names = new Map(Object.keys(schema.properties).map((name) => [name.toLowerCase(), name]));
  }

  collect(raw: RawQuery, errors: string[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    if (raw.malformed) errors.push('The query is not percent-encoded UTF-8');
    for (const [sent, value] of raw.pairs) {
      const name = this.#names.get(sent.toLowerCase());
      const schema = name === undefined ? undefined : this.#schema.properties[name];
      if (name === undefined || schema === undefined) errors.push(this.#unknown(sent));
      else if (Object.hasOwn(values, name)) errors.push(`Query parameter '${name}' stands twice`);
      else values[name] = convert(schema, value);
    }
    return values;
  }

  problems(values: Record<string, unknown>): string[] {
    if (this.#validator.Check(values)) return [];
    const wrong = new Set(this.#validator.Errors(values).flatMap(namesIn));
    return Object.entries(this.#schema.properties)
      .filter(([name]) => wrong.has(name))
      .map(([name, schema]) => `Query parameter '${name}' must be ${rule(schema)}`);
  }

  #unknown(sent: string): string {
    const shown = /^\w{1,40}$/.test(sent) ? ` '${sent}'` : '';
    const known = [...this.#names.values()];
    return known.length === 0
      ? `Query parameter${shown} is unknown: this endpoint takes none`
      : `Query parameter${shown} is unknown; known are ${known.join(', ')}`;
  }
}

const namesIn = (error: TLocalizedValidationError): string[] =>
  error.keyword === 'required' ? error.params.requiredProperties : [error.instancePath.slice(1)];

const typeOf = (schema: TSchema): unknown => ('type' in schema ? schema.type : undefined);

/** Strict: `true`, `false`, plain decimal digits. Other texts are left for the check to refuse. */
function convert(schema: TSchema, value: string): unknown {
  switch (typeOf(schema)) {
    case 'integer':
      return /^(?:0|-?[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' || value === 'false' ? value === 'true' : value;
    default:
      return isStorable(value) ? value : null;
  }
}

function rule(schema: TSchema): string {
  const facts: Partial<Record<'minimum' | 'maximum' | 'format' | 'maxLength' | 'enum', unknown>> = schema;
  if (Array.isArray(facts.enum)) return `one of ${facts.enum.join(', ')}`;
  switch (typeOf(schema)) {
    case 'integer':
      return `an integer from ${String(facts.minimum)} to ${String(facts.maximum)}`;
    case 'boolean':
      return 'true or false';
    default:
      return facts.format === 'uuid' ? 'a UUID' : `a text of 1 to ${String(facts.maxLength)} characters`;
  }
}

/** On the operations page: where one sees what a form has done that is sent to this address, which ends with its action. */
export const pageOfForm = (url: string): string =>
  /^\/operations(?:\/[^/?]+)*?(?=\/(?:upload\/)?[^/?]+\/?(?:\?|$))/i.exec(url)?.[0] ?? '/operations';

export const isBrowserAtRoot = ({ method, url, headers }: FastifyRequest): boolean =>
  ['GET', 'HEAD'].includes(method) && url === '/' && headers.accept?.includes('text/html') === true;
