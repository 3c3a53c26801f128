import type { FastifyRequest } from 'fastify';

export type HeaderReading<T> =
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
