import type { LoadedEvent } from '../event-store/loaded-event.js';
import { SetEventParser, readFullElement } from '@rollcall/domain';

/** Data that weighs more is not read as one value. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Checks an event's data against the catalogue; a large employee set entry by entry, in bounded memory. */
export async function checkData(event: LoadedEvent): Promise<void> {
  if (event.name !== 'EmployeeSetReplaced' || event.size <= LARGE_BYTES) {
    await event.json();
    return;
  }
  const parser = new SetEventParser(
    (kind, bytes, start, end) => void readFullElement(kind, bytes, start, end),
  );
  for await (const chunk of event.chunks()) parser.push(chunk);
  parser.finish();
}
