import { projections, rebuild } from '@rollcall/projector';
import type { Position } from '@rollcall/application';

import { Presets, SingleBar } from 'cli-progress';
import type { CliIo } from '../cli-io.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withSession } from '../session.js';
import { brokenText } from './projections-status.js';

interface RebuildView {
  show(position: Position): void;
  end(): void;
}

/** How far it is, measured by places in the log; only on a terminal. */
function rebuildView({ screen }: CliIo, last: Position | undefined): RebuildView {
  if (screen === undefined || last === undefined) return { show: () => undefined, end: () => undefined };
  const options = {
    stream: screen,
    format: '{bar} {percentage} % of the log',
    barsize: 30,
    clearOnComplete: true,
    // The library's own way would take Ctrl-C away from the command.
    gracefulExit: false,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  bar.start(100, 0);
  return {
    show: (position) => bar.update(Math.min(100, last === 0n ? 100 : Number((position * 100n) / last))),
    end: () => bar.stop(),
  };
}

/**
 * Builds the read models anew in a generation that nobody reads, and switches to it when it has caught up with the live one.
 * Cut off, it leaves the live one as it was. A refusal where a stream stops in the new one too.
 */
export const projectionsRebuild = (io: CliIo, json: boolean): Promise<void> =>
  withSession(io, async ({ log, readModels }) => {
    let events = 0;
    const view = rebuildView(io, await log.lastPosition());
    const onApplied = (event: { readonly position: Position }): Promise<void> => {
      events += 1;
      view.show(event.position);
      return Promise.resolve();
    };
    try {
      await rebuild(readModels, { log, projections, onApplied });
    } finally {
      view.end();
    }
    const parkedStreams = await readModels.parkedStreams();
    const live = (await readModels.generations()).find(({ status }) => status === 'live')?.name ?? null;
    const text = `The read models are built anew from ${events} events: ${live ?? 'another one'} is live.`;
    await answer(io, json, { events, live, parkedStreams }, [text]);
    if (parkedStreams.length > 0) throw new Refusal(parkedStreams.map(brokenText).join('\n'));
  });
