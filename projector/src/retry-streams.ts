import {
  eventAt,
  damageOf,
  isOutage,
  loadEvent,
  type ParkedStream,
  positionOfStream,
  problemOf,
  type StreamDocument,
} from '@rollcall/application/read';
import { applyAlone } from './project-batch.js';
import { notify, type ProjectionRun, WHILE_PROJECTED } from './projection.js';
import { nextHead, StreamHeads } from './checkpoint.js';

type Unfinished = 'stopped' | ParkedStream;

/** Projects a repaired parked stream and marks it healthy, beside a running projector. `whole` also if it was not parked. */
export async function retryStreams(run: ProjectionRun, stream: string): Promise<'whole' | Unfinished> {
  for (;;) {
    const parked = (await run.readModels.parkedStreams()).find((one) => one.stream === stream);
    if (parked === undefined) return 'whole';
    const outcome = await catchUp(run, parked);
    if (outcome !== undefined) return outcome;
    if (await markHealthy(run, stream)) return 'whole';
  }
}

async function catchUp(run: ProjectionRun, parked: ParkedStream): Promise<Unfinished | undefined> {
  const { stream } = parked;
  // A stream that others have deleted looks whole.
  const damage = await damageOf(run.log, stream);
  if (damage !== undefined) return park(run, { ...parked, problem: damage });
  let { revision } = parked;
  try {
    let head = await headOf(run, stream);
    for await (const recorded of run.log.readStream(stream, { from: revisionBehind(head) })) {
      revision = recorded.revision;
      head = nextHead(head, recorded);
      const event = loadEvent(run.log, recorded);
      await applyAlone(run, event, head);
      await notify(run, event);
    }
    return undefined;
  } catch (error) {
    if (run.signal?.aborted === true) return 'stopped';
    if (isOutage(error)) throw error;
    return park(run, { stream, revision, problem: problemOf(error, WHILE_PROJECTED) });
  }
}

const headOf = async ({ readModels }: ProjectionRun, stream: string): Promise<StreamDocument | undefined> =>
  (await new StreamHeads(readModels).read([stream])).get(stream);

const revisionBehind = (head: StreamDocument | undefined): number => (head?.revision ?? -1) + 1;

async function park({ readModels }: ProjectionRun, parked: ParkedStream): Promise<ParkedStream> {
  for (;;) {
    const progress = await readModels.progress();
    if (await readModels.advance(progress, progress, { park: [parked] })) return parked;
  }
}

/** Only if nothing of it is left up to the present progress. */
async function markHealthy(run: ProjectionRun, stream: string): Promise<boolean> {
  const { log, readModels } = run;
  const from = revisionBehind(await headOf(run, stream));
  const progress = await readModels.progress();
  const position = positionOfStream(progress, stream);
  const next = await eventAt(log, stream, from);
  if (next !== undefined && position !== undefined && next.position <= position) return false;
  return readModels.advance(progress, progress, { unpark: stream });
}
