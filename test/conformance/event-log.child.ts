import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openLog } from './event-log.adapters.js';
import { dataFor, type Written } from './event-log.crash.js';

const WRITERS = 8;
const [adapter = '', location = ''] = process.argv.slice(2);

/** Appends for ever, and says on stdout what was answered: one line of JSON for each append. */
const log = await openLog(adapter, location);

async function write(stream: string): Promise<never> {
  let revision = (await log.readLast(stream))?.revision ?? -1;
  for (let turn = 0; ; turn++) {
    const ids = Array.from({ length: 1 + (turn % 3) }, () => randomUUID());
    const events = ids.map((id, index) => ({
      id,
      type: 'SomethingHappened',
      contentType: index === 1 ? ('binary' as const) : ('json' as const),
      data: dataFor(id),
      metadata: Buffer.from('{}'),
    }));
    const result = await log.append(stream, revision < 0 ? 'no-stream' : revision, events);
    if (result.outcome !== 'appended') throw new Error('another writer was here');
    const answered: Written = { stream, revision: result.revision, position: String(result.position), ids };
    writeSync(1, `${JSON.stringify(answered)}\n`);
    revision = result.revision;
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(`survey-${n + 1}`)));
