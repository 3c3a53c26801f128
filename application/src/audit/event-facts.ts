import { webhooks } from '@rollcall/domain';
import { readSetSummary } from '@rollcall/employee-lists/set';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import { fieldsOf, MASK, type AuditFields } from './audit-row.js';

const maxErrors = 100;
/** Of events that say who looked; they hold counts and what calls say of themselves. */
const accessLists: ReadonlySet<string> = new Set(['reads', 'refused']);

/**
 * An event's data in short: texts, numbers and moments as they are, who looked, lists by their length, validation errors up to 100. No personal value:
 * of an error's text what stands in quotes (an EmployeeID) is masked unless `reveal`.
 */
export async function factsOf(event: LoadedEvent, reveal = false): Promise<AuditFields> {
  const data = event.name === 'EmployeeSetReplaced' ? await setSummary(event) : await event.json();
  return Object.fromEntries(
    Object.entries(fieldsOf(data)).flatMap(([name, value]) => {
      const fact = accessLists.has(name) ? value : factOf(name, value, reveal);
      return fact === undefined ? [] : [[name, fact]];
    }),
  );
}

function factOf(name: string, value: unknown, reveal: boolean): unknown {
  if (typeof value === 'string' && !reveal) return webhooks.shownUrl({ url: value });
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? undefined : value;
  if (value.length === 0) return undefined;
  return name === 'validationErrors' ? errorsOf(value, reveal) : value.length;
}

const errorsOf = (errors: readonly unknown[], reveal: boolean): string[] =>
  errors
    .slice(0, maxErrors)
    .map((error) => (reveal ? String(error) : String(error).replace(/'.*'/s, `'${MASK}'`)));

/** The members before the lists of an `EmployeeSetReplaced`, or those of an `EmployeeSetConfirmed`. */
export async function setSummary(event: LoadedEvent): Promise<EmployeeSetSummary | undefined> {
  for await (const chunk of event.chunks()) return readSetSummary(chunk);
  return undefined;
}
