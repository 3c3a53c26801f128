import type { LoadedEvent } from '../event-store/loaded-event.js';
import { originOf } from './audit-row.js';
import { entryOf, NumberSet, visitEntries } from './employee-entries.js';

const dueMark = Buffer.from(',"invitationDue":"');

/** The invitations of the employees whom an operation has added; see every event in the order of the log. */
export class PlannedMails {
  readonly #planned = new NumberSet();
  readonly #newest = new Map<number, string>();
  #stream: string | undefined;
  #count = 0;

  async plan(event: LoadedEvent): Promise<void> {
    if (event.name !== 'EmployeeSetReplaced') return;
    const by = originOf(event);
    this.#stream = event.stream.replace('company', 'invitation');
    const entries = visitEntries(event, (kind, bytes, start, end) => {
      if (kind !== 'added' || !bytes.subarray(start, Math.min(end, start + 300)).includes(dueMark)) return;
      this.#planned.add(entryOf(kind, { bytes, start, end }, by, false).number);
      this.#count += 1;
    });
    while ((await entries.next()).done !== true);
  }

  see({ stream, name }: LoadedEvent): void {
    if (this.#stream === undefined || !stream.startsWith(`${this.#stream}-`)) return;
    const number = Number(stream.slice(this.#stream.length + 1));
    if (this.#planned.has(number)) this.#newest.set(number, name);
  }

  counts(): Record<string, number> {
    const counts = new Map<string, number>();
    const planned = this.#count - this.#newest.size;
    if (planned > 0) counts.set('planned', planned);
    for (const name of this.#newest.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}
