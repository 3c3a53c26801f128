import type { ImportKind } from '@rollcall/contracts';

export type ShownRow = Readonly<Record<string, unknown>>;

/** Employees or portal users as the read models have them; undefined where they have none. */
export type FindRows = (
  kind: ImportKind,
  companyId: number,
  numbers: readonly number[],
) => Promise<readonly (ShownRow | undefined)[]>;
