import type { EmployeeValues, PreviewRow } from '@rollcall/contracts';

type Value = PreviewRow['Fields'][string]['Old'];
type Fields = Readonly<Record<string, Value>>;

/** Those that differ; null where one side has none. */
export function differingFields(before: Fields, after: Fields): PreviewRow['Fields'] {
  const fields: PreviewRow['Fields'] = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [Old, New] = [before[name] ?? null, after[name] ?? null];
    if (Old !== New) fields[name] = { Old, New };
  }
  return fields;
}

/** A dimension is the field `Dimensions.<name>`. */
export const fieldsBetween = (
  before: EmployeeValues | undefined,
  after: EmployeeValues | undefined,
): PreviewRow['Fields'] => differingFields(flat(before), flat(after));

function flat(values: EmployeeValues | undefined): Fields {
  if (!values) return {};
  const { Dimensions = {}, ...fields } = values;
  const dimensions = Object.entries(Dimensions).map(([name, value]) => [`Dimensions.${name}`, value]);
  return { ...fields, ...(Object.fromEntries(dimensions) as Fields) };
}
