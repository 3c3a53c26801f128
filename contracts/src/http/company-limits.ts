import { Type, type Static } from 'typebox';
import { Count, orNull } from './schemas.js';
import { Language } from '../values/language.js';

const Bytes = (of: string) =>
  Type.Integer({ format: 'int64', minimum: 1, description: `Bytes of ${of}, unpacked.` });

/** docs/contract, "Limits in force". */
export const CompanyLimits = Type.Object(
  {
    BatchLimit: orNull(
      Type.Number({
        description:
          'Percent of those present that an import may add, or remove; null where there is no limit.',
      }),
    ),
    BatchLimitFrom: Type.Integer({
      minimum: 0,
      description: 'The batch limit counts from this many employees present.',
    }),
    OverLimit: Type.Enum(['refuse', 'hold'], {
      type: 'string',
      description:
        'What becomes of an import over the batch limit: refused, or held until somebody approves it.',
    }),
    QueueThreshold: orNull(
      Type.Integer({ minimum: 1, description: 'Employees from which a list is queued; null for never.' }),
    ),
    QueueBodyBytes: Type.Integer({
      format: 'int64',
      minimum: 1,
      description: 'Bytes of an employee list, unpacked, from which it is queued.',
    }),
    EmployeeBodyLimit: Bytes('an employee list'),
    ManagerBodyLimit: Bytes('a manager import'),
    BodyLimit: Bytes('any other body'),
    RateLimitPerMinute: Type.Integer({
      minimum: 0,
      description: 'Calls of one API user; 0 where there is no limit.',
    }),
    PendingImports: Count,
    MostPendingImports: Type.Integer({ minimum: 1, description: 'With as many pending, more are a 429.' }),
  },
  { title: 'CompanyLimits', description: 'What the company may send at present.' },
);
export type CompanyLimits = Static<typeof CompanyLimits>;

export const EnabledLanguages = Type.Array(Type.Object(Language.properties, { title: 'Language' }));
export type EnabledLanguages = Static<typeof EnabledLanguages>;
