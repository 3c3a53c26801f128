import { AccessRecorder, type Every, type EventLog } from '@rollcall/application';
import { type Rig } from '../projector/projector.support.js';

export const read = (change: object = {}) => ({
  ...{ companyId: 7, userId: 3, username: 'HR', what: 'employees', rows: 10, requestId: 'r1' },
  ...change,
});

interface Recording {
  readonly recorder: AccessRecorder;
  readonly problems: unknown[];
}

const never: Every = () => () => undefined;

export function recorderOn({ clock }: Rig, log: EventLog): Recording {
  const problems: unknown[] = [];
  const deps = { log, clock, every: never, username: 'system:api@host', sleep: () => Promise.resolve() };
  return { problems, recorder: new AccessRecorder({ ...deps, onProblem: (error) => problems.push(error) }) };
}

export async function dataIn({ log }: Rig, stream: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { data } of log.readStream(stream)) all.push(JSON.parse(Buffer.from(data).toString()));
  return all;
}

export const reads = 'reads-7-20261121';
export const refusals = 'refusals-20261121';
