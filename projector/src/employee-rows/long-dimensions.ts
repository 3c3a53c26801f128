import { type EmployeeValues, limits } from '@rollcall/contracts';

/** Entries from before the limits on Dimensions; today's are shorter in any spelling. */
export const maxEntryBytes = 200 * 1024;

/** Limits of a body (docs/contract.md, "Employees"). */
const { dimensions, dimensionName: name, dimensionValue: value } = limits.employee;
const most = { dimensions, name, value };

const mark = '…';

/** A row that every store accepts: 100 Dimensions, texts cut with a mark, equal names numbered, the rest counted. */
export function shortenedValues(values: EmployeeValues): EmployeeValues {
  const entries = Object.entries(values.Dimensions ?? {});
  const shown = new Map<string, string>();
  for (const [index, [name, value]] of entries.slice(0, most.dimensions).entries()) {
    const short = shortened(name, most.name);
    shown.set(shown.has(short) ? `${short}${index}` : short, shortened(value, most.value));
  }
  const rest = entries.length - most.dimensions;
  if (rest > 0) shown.set(`${mark} and ${rest} more`, '');
  return { ...values, Dimensions: Object.fromEntries(shown) };
}

/** Cut first: a name of many megabytes is not counted. */
function shortened(text: string, length: number): string {
  const points = Array.from(text.slice(0, 2 * length + 2));
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}${mark}`;
}
