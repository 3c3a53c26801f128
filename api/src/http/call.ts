import type { CallContext } from '@rollcall/contracts';
import type { Clock } from '@rollcall/application';
import type { FastifyRequest } from 'fastify';
import { idempotency } from '@rollcall/domain';
import { HttpError, invalidRequest } from './errors.js';

export interface Caller {
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly string[];
}

export class Call {
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** Set once the token is accepted. */
  caller: Caller | undefined;
  /** Call it after the last byte of a body: the token may be revoked by then. */
  acceptAgain: (() => Promise<Caller>) | undefined;
  /** SHA-256 of the unpacked body, hex; set once it is complete. */
  bodySha256: string | undefined;
  /** For the log. */
  refusal: { readonly kind: string; readonly reason: string | undefined } | undefined;
  /** For a replay: the first call's ApiOperationId, for the log. */
  repeatedOperationId: string | undefined;
  #operationId: string | undefined;
  readonly #newId: () => string;

  constructor(clock: Clock, newId: () => string) {
    this.receivedAt = new Date(clock.now()).toISOString();
    this.#newId = newId;
  }

  /** The ApiOperationId: a UUID v7, made on first use. */
  get operationId(): string {
    return (this.#operationId ??= this.#newId());
  }

  get answeredOperationId(): string | undefined {
    return this.repeatedOperationId ?? this.#operationId;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = request.call?.caller;
  if (!caller) throw new Error('this route has no guard');
  return caller;
}

export function callContext(request: FastifyRequest): CallContext {
  const caller = callerOf(request);
  const call = callOf(request);
  return {
    companyId: caller.companyId,
    operationId: call.operationId,
    userId: caller.userId,
    username: caller.name,
    causationId: null,
    receivedAt: call.receivedAt,
  };
}

export function callOf(request: FastifyRequest): Call {
  if (!request.call) throw new Error('the request did not come through the router');
  return request.call;
}

type HeaderReading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const read = <T>(value: T): HeaderReading<T> => ({ ok: true, value });
const wrong = (problem: string): HeaderReading<never> => ({ ok: false, problem });

export const headerValues = (request: FastifyRequest, name: string): readonly string[] =>
  request.raw.headersDistinct[name] ?? [];

const longestKey = 255;

/** Bare, or quoted with `\"` and `\\` escapes; both forms name the same key (docs/contract, "Idempotency-Key"). */
export function readIdempotencyKey(values: readonly string[]): HeaderReading<string | undefined> {
  const [sent] = values;
  if (sent === undefined) return read(undefined);
  if (values.length > 1) return wrong("Header 'Idempotency-Key' stands twice");
  const key = sent.startsWith('"') ? unquoted(sent) : sent;
  return key !== undefined && /^[\x20-\x7e]+$/.test(key) && key.length <= longestKey
    ? read(key)
    : wrong(
        `Header 'Idempotency-Key' must be 1 to ${longestKey} printable ASCII characters, bare or in double quotes`,
      );
}

function unquoted(text: string): string | undefined {
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  return inner?.replace(/\\(.)/g, '$1');
}

/** A quoted string, or the rest of an unclosed one: the text is scanned once. */
const quotedString = /"(?:[^"\\]|\\.?)*(?:"|$)/gs;

/** Whether `Prefer` holds `respond-async` (RFC 7240). Everything else, also malformed, is ignored. */
export function prefersAsync(values: readonly string[]): boolean {
  const withoutQuoted = values.join(',').replace(quotedString, '""');
  return withoutQuoted.split(',').some((preference) => /^\s*respond-async\s*(?:[;=]|$)/i.test(preference));
}

const longestPreviewId = 1_000;

/** Only the installation that made a PreviewId can read it. */
export function readIfPreview(values: readonly string[]): HeaderReading<string | undefined> {
  const [sent] = values;
  if (values.length > 1) return wrong("Header 'If-Preview' stands twice");
  if (sent === undefined || (sent.length <= longestPreviewId && /^[\w-]+\.[\w-]+$/.test(sent)))
    return read(sent);
  return wrong("Header 'If-Preview' must be the PreviewId of a dry run");
}

/** Whether `Accept` names CSV before JSON. */
export const prefersCsv = (values: readonly string[]): boolean =>
  /^\s*text\/csv\b/i.test(
    values
      .join(',')
      .split(',')
      .find((type) => /^\s*(?:text\/csv|application\/json)\b/i.test(type)) ?? '',
  );

const entityTag = String.raw`(W/)?"([\x21\x23-\x7e\x80-\xff]*)"`;
const entityTags = new RegExp(`^[\\s,]*${entityTag}(?:\\s*,[\\s,]*${entityTag})*[\\s,]*$`);

/** By strong comparison (RFC 9110, 8.8.3.2): a weak tag matches nothing. Null without the header and for `*`. */
export function readIfMatch(values: readonly string[]): HeaderReading<readonly number[] | null> {
  const sent = values.join(',').trim();
  if (values.length === 0 || sent === '*') return read(null);
  if (!entityTags.test(sent))
    return wrong('Header \'If-Match\' must be * or a list of entity tags in double quotes, for example "5"');
  const tags = [...sent.matchAll(new RegExp(entityTag, 'g'))];
  return read(
    tags.flatMap(([, weak, tag = '']) =>
      weak === undefined && /^(?:0|[1-9]\d{0,14})$/.test(tag) ? [Number(tag)] : [],
    ),
  );
}

export function valueOrRefuse<T>(reading: HeaderReading<T>): T {
  if (!reading.ok) throw invalidRequest([reading.problem]);
  return reading.value;
}

/** The name under which the caller's Idempotency-Key is kept. `method` as in an ApiCalls row. */
export function keyHashOf(request: FastifyRequest, method: string): string | undefined {
  const key = valueOrRefuse(readIdempotencyKey(headerValues(request, 'idempotency-key')));
  if (key === undefined) return undefined;
  return idempotency.keyHash({ userId: callerOf(request).userId, method, key });
}

export function keyedContext(
  request: FastifyRequest,
  key: { readonly keyHash: string | undefined; readonly bodySha256: string },
): CallContext {
  const context = callContext(request);
  const { keyHash, bodySha256 } = key;
  return keyHash === undefined ? context : { ...context, idempotency: { keyHash, bodySha256 } };
}

export const replayedHeader = { 'idempotent-replayed': 'true' } as const;

export class RunningKeys {
  readonly #running = new Set<string>();

  /** Runs one call per key at a time: 409 while another is running. Without a key it just runs. */
  async alone<T>(keyHash: string | undefined, run: () => Promise<T>): Promise<T> {
    if (keyHash === undefined) return run();
    if (this.#running.has(keyHash)) throw new HttpError('conflict');
    this.#running.add(keyHash);
    try {
      return await run();
    } finally {
      this.#running.delete(keyHash);
    }
  }
}
