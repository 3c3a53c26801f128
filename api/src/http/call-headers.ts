import type { FastifyRequest } from 'fastify';

/** What a header says, or what is wrong with it, in the caller's words. */
export type HeaderReading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const read = <T>(value: T): HeaderReading<T> => ({ ok: true, value });
const wrong = (problem: string): HeaderReading<never> => ({ ok: false, problem });

/** A header's values, one for each time that it stands in the request. */
export const headerValues = (request: FastifyRequest, name: string): readonly string[] =>
  request.raw.headersDistinct[name] ?? [];

const longestKey = 255;

/**
 * `Idempotency-Key`, bare or as a quoted string (`\"` and `\\` escaped inside); both forms name the same key. Undefined
 * without the header (docs/contract, "Idempotency-Key").
 */
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

/** Whether `Prefer` holds `respond-async` (RFC 7240). Parameters, other preferences and what is malformed are ignored. */
export function prefersAsync(values: readonly string[]): boolean {
  const withoutQuoted = values.join(',').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return withoutQuoted.split(',').some((preference) => /^\s*respond-async\s*(?:[;=]|$)/i.test(preference));
}

const entityTag = String.raw`(W/)?"([\x21\x23-\x7e\x80-\xff]*)"`;
const entityTags = new RegExp(`^[\\s,]*${entityTag}(?:\\s*,[\\s,]*${entityTag})*[\\s,]*$`);

/**
 * The set revisions that `If-Match` names, by strong comparison (RFC 9110, 8.8.3.2): a weak tag, or one that is no
 * revision, matches nothing. Null without the header, and for `*`: every company has a set, if only an empty one.
 */
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
