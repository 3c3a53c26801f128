import type { LoadedEvent } from '../event-store/loaded-event.js';
import { SetEventParser, readFullElement } from '@rollcall/employee-lists/set';

const maxWholeBytes = 4 * 1024 * 1024;

/** Checks an event's data against the catalogue; a large employee set element by element, in bounded memory. */
export async function checkData(event: LoadedEvent): Promise<void> {
  if (event.name !== 'EmployeeSetReplaced' || event.size <= maxWholeBytes) {
    if (event.inline) event.inline.json();
    else await event.json();
    return;
  }
  const parser = new SetEventParser(
    (kind, bytes, start, end) => void readFullElement(kind, bytes, start, end),
  );
  for await (const chunk of event.chunks()) parser.push(chunk);
  parser.finish();
}
