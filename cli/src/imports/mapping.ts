import type { CsvMapping } from '@rollcall/application';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { WrongUse } from '../refusal.js';

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
export function readMapping(file: string, bytes: Uint8Array): CsvMapping {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new WrongUse(`${file} is not JSON.`);
  }
  if (isMapping.Check(value)) return value;
  const [problem] = isMapping.Errors(value);
  throw new WrongUse(
    `${file} is no mapping: ${problem?.instancePath ?? ''} ${problem?.message ?? ''}. ` +
      'It is {"columns": {"Site": "Dimensions.Location", "Salary": null}, "values": {"Gender": {"M": 0}}, "delimiter": ";"}.',
  );
}
