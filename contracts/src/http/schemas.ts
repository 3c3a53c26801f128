import { Type, type Static, type TSchema, type TSchemaOptions } from 'typebox';
import { limits, patterns } from './limits.js';

const typeOf = (schema: TSchema): unknown =>
  'type' in schema && !('enum' in schema) ? schema.type : undefined;

/** The schema, or null. A plain type gets `null` as its second, so that its rules and description stay where readers look. */
export const orNull = <T extends TSchema>(schema: T) => {
  const type = typeOf(schema);
  return Type.Unsafe<Static<T> | null>(
    typeof type === 'string' && !('title' in schema)
      ? { ...schema, type: [type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  );
};

/** A member that may be left out, or null. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));

/** A map from texts to values; `propertyNames` says which texts. */
export const mapOf = <T extends TSchema>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...options });

/** One of some integers; generated clients call them by their names. */
export const oneOfCodes = (title: string, codes: Readonly<Record<string, number>>, description: string) =>
  Type.Unsafe<number>({
    type: 'integer',
    enum: Object.values(codes),
    'x-enum-varnames': Object.keys(codes),
    description,
    title,
  });

export const Count = Type.Integer({ minimum: 0 });

/** An id of 1 .. 2^53-1: more than 32 bits, which clients have to know. */
export const Id = Type.Integer({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A moment as the service writes it. */
export const Moment = Type.String({ format: 'date-time' });

/**
 * A moment as a caller writes it, and as it comes back. A pattern and not `format: date-time`: generated clients write the
 * format with another offset than Z, which is refused.
 */
export const sentMoment = (description: string) =>
  Type.String({ pattern: patterns.utcDate, description: `${description} yyyy-MM-ddTHH:mm:ssZ.` });

export const Email = (description: string) =>
  Type.String({ maxLength: limits.email, pattern: patterns.emailForTools, description });
