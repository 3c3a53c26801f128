import { Type, type Static } from 'typebox';
import { Count, Id, mapOf, Moment, optional, orNull } from './schemas.js';

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const PreviewField = Type.Object({ Old: Value, New: Value }, { title: 'PreviewField' });

/** One row of the whole difference that an import makes. */
export const PreviewRow = Type.Object(
  {
    Change: Type.String({
      description:
        'Inserted, Updated, Renamed or Removed. Of managers: UserCreated, UserRenamed, UserLocked, UserUnlocked, DepartmentCreated, RoleEnabled, RoleChanged, RoleDisabled or ParentChanged.',
    }),
    Id: orNull(
      Type.Integer({ ...Id, description: 'The number of one who is known before; null for others.' }),
    ),
    EmployeeID: optional(Type.String({ description: 'Of an employee: as it is after the import.' })),
    Email: optional(Type.String({ description: 'Of a manager.' })),
    Fields: mapOf(PreviewField, { description: 'Each field that changes: as it is, and as it would be.' }),
  },
  { title: 'PreviewRow' },
);
export type PreviewRow = Static<typeof PreviewRow>;

export const LikelyRenames = Type.Object(
  {
    Count,
    Renames: Type.Array(
      Type.Object(
        {
          From: Type.String({ description: 'The EmployeeID, or e-mail address, that leaves.' }),
          To: Type.String({ description: 'The one that comes.' }),
          By: Type.Enum(['Email', 'Phonenumber', 'Name'], {
            type: 'string',
            description: 'What both have in common; Name for managers.',
          }),
        },
        { title: 'LikelyRename' },
      ),
      { description: 'At most 1,000.' },
    ),
  },
  { title: 'LikelyRenames', description: 'People who leave under one id and come under another.' },
);
export type LikelyRenames = Static<typeof LikelyRenames>;

/** What every dry run has. */
export const previewMembers = {
  PreviewId: Type.String({ description: 'Send it as If-Preview to carry out exactly this.' }),
  Revision: orNull(Type.Integer({ minimum: 0, description: 'Of the set; null before the first import.' })),
  ExpiresOn: Type.Unsafe<string>({ ...Moment, description: 'Until then the PreviewId can be used.' }),
  LikelyRenames,
  Details: Type.Optional(
    Type.Array(PreviewRow, { description: 'With Details=true: the whole difference, in one row each.' }),
  ),
};

/** Of both imports. */
export const DetailsFlag = Type.Boolean({
  description:
    'true, with dryRun=true: the whole difference too, field by field; as CSV with `Accept: text/csv`.',
});
