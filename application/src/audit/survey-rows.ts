import type { SurveyContent } from '@rollcall/contracts';
import { headAt, INITIAL_HEAD, verifyNext } from '../event-store/load-state.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { StreamHead } from '../event-store/linked-events.js';
import type { EventReader, StreamAdmin } from '../ports/event-log.js';
import { originOf, type AuditRow } from './audit-row.js';

export type SurveyReader = EventReader & Pick<StreamAdmin, 'listStreams'>;

/** A company's surveys at each of the times (ISO 8601, ascending); undefined where a survey did not exist yet. */
export async function* surveysAt(
  log: SurveyReader,
  companyId: number,
  times: readonly string[],
): AsyncGenerator<readonly (AuditRow | undefined)[]> {
  for await (const { stream } of log.listStreams('survey-')) {
    const rows = await surveyAt(log, stream, { companyId, times });
    if (rows.some((row) => row !== undefined)) yield rows;
  }
}

async function surveyAt(
  log: EventReader,
  stream: string,
  { companyId, times }: { readonly companyId: number; readonly times: readonly string[] },
): Promise<readonly (AuditRow | undefined)[]> {
  const rows: (AuditRow | undefined)[] = [];
  let last: LoadedEvent | undefined;
  let head: StreamHead = INITIAL_HEAD;
  const reach = async (recordedAt?: string): Promise<boolean> => {
    for (let next = times[rows.length]; next !== undefined; next = times[rows.length]) {
      if (recordedAt !== undefined && recordedAt <= next) return false;
      rows.push(last && (await rowOf(last)));
    }
    return true;
  };
  for await (const recorded of log.readStream(stream)) {
    const event = verifyNext(log, head, recorded);
    if (event.metadata.companyId !== companyId) return [];
    if (await reach(event.metadata.recordedAt)) return rows;
    last = event;
    head = headAt(event);
  }
  await reach();
  return rows;
}

async function rowOf(event: LoadedEvent): Promise<AuditRow> {
  const { surveyId, ...open } = await contentOf(event);
  return { part: 'surveys', id: String(surveyId), by: originOf(event), open };
}

function contentOf(event: LoadedEvent): Promise<SurveyContent> {
  if (event.name === 'SurveyUpdated' || event.name === 'SurveyStateChanged') return event.data(event.name);
  return event.data('SurveyCreated');
}
