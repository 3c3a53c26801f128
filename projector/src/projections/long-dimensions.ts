import { type EmployeeValues, limits } from '@rollcall/contracts';

/** Bytes of an entry that were recorded before Dimensions had limits; what the limits allow is less in any spelling. */
export const longestEntry = 200 * 1024;

/** The limits of a body (docs/contract.md, "Employees"). */
const { dimensions, dimensionName: name, dimensionValue: value } = limits.employee;
const most = { dimensions, name, value };

const mark = '…';

/**
 * Values whose row no store refuses, whatever was recorded: the first 100 Dimensions, names and values cut to the limits of today
 * with a mark behind them, names that become equal with their place, and how many Dimensions are left out.
 */
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

/** Cut in front first: the code points of a name of many megabytes are not counted. */
function shortened(text: string, length: number): string {
  const points = Array.from(text.slice(0, 2 * length + 2));
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}${mark}`;
}
