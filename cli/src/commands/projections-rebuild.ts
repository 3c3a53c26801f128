import { projections, rebuild } from '@rollcall/projector';
import type { Position } from '@rollcall/application';

import type { CliIo } from '../cli-io.js';
import { answer } from '../output.js';
import { progressBar, withBar } from '../progress-bar.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';
import { parkedText } from './projections-status.js';

/** Builds a new generation and switches once it has caught up. A refusal where a stream is parked in it too. */
export const projectionsRebuild = (io: CliIo, json: boolean): Promise<void> =>
  withStores(io, (session) => rebuildIn(session, json), { readAll: true });

async function rebuildIn({ io, log, readModels }: StoresSession, json: boolean): Promise<void> {
  let events = 0;
  let last: Position | undefined;
  const view = progressBar(io, await log.lastPosition());
  // Running projectors read some of them, and apply them.
  const onRead = ({ position }: { readonly position: Position }): void => {
    if (last !== undefined && position <= last) return;
    events += 1;
    last = position;
    view.show(position);
  };
  await withBar(view, () => rebuild(readModels, { log, projections, onRead }));
  const parkedStreams = await readModels.parkedStreams();
  const live = (await readModels.generations()).find(({ status }) => status === 'live')?.name ?? null;
  const text = `The read models are built anew: ${live ?? 'another one'} is live. Events read here: ${events}.`;
  await answer(io, json, { events, live, parkedStreams }, [text]);
  if (parkedStreams.length > 0) throw new Refusal(parkedStreams.map(parkedText).join('\n'));
}
