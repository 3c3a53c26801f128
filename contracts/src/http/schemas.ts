import { Type, type Static, type TSchema, type TSchemaOptions } from 'typebox';
import { limits, patterns } from '../values/limits.js';

const typeOf = (schema: TSchema): unknown =>
  'type' in schema && !('enum' in schema) ? schema.type : undefined;

/** Keeps rules and description on the plain type, with `null` as a second type. */
export const orNull = <T extends TSchema>(schema: T) => {
  const type = typeOf(schema);
  return Type.Unsafe<Static<T> | null>(
    typeof type === 'string' && !('title' in schema)
      ? { ...schema, type: [type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  );
};

export const optional = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));

export const mapOf = <T extends TSchema>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...options });

export const oneOfCodes = (title: string, codes: Readonly<Record<string, number>>, description: string) =>
  Type.Unsafe<number>({
    type: 'integer',
    enum: Object.values(codes),
    'x-enum-varnames': Object.keys(codes),
    description,
    title,
  });

export const Count = Type.Integer({ minimum: 0 });

/** 1 .. 2^53-1: clients need more than 32 bits. */
export const idRange = { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
export const Id = Type.Integer(idRange);
export const describedId = (description: string, minimum = 1) =>
  Type.Integer({ ...idRange, minimum, description });

export const Moment = Type.String({ format: 'date-time' });

/** As sent and returned. A pattern, not a format: generated clients would send other offsets than Z, which are refused. */
export const sentMoment = (description: string) =>
  Type.String({ pattern: patterns.utcDate, description: `${description} yyyy-MM-ddTHH:mm:ssZ.` });

export const Email = (description: string) =>
  Type.String({ maxLength: limits.email, pattern: patterns.emailForTools, description });
