import {
  asBuffer,
  loadEvent,
  type EventReader,
  type ReadModelReader,
  surveyStream,
} from '@rollcall/application';
import { surveys } from '@rollcall/domain';
import { type Survey, SurveyDocument, type SurveyListItem } from '@rollcall/contracts';
import { Compile } from 'typebox/compile';
import { refuseDamaged, refuseParked, type ParkedIn } from '../http/parked-streams.js';

const checker = Compile(SurveyDocument);

function parseSurvey(json: string): SurveyDocument {
  const document: unknown = JSON.parse(json);
  if (!checker.Check(document)) throw new Error('a document of the collection surveys has another shape');
  return document;
}

/** The last member, and no text within a value: quotes are escaped there. */
const questions = ',"questions":';

/** A survey may have 1 MB of questions: they are not parsed. */
function listItem(json: Buffer): SurveyListItem {
  const document = parseSurvey(`${json.toString('utf8', 0, json.indexOf(questions))}${questions}[]}`);
  const { id, name, companyId, start, end, state, surveyDefinitionId } = document;
  return { id, name, companyId, start, end, state, surveyDefinitionId, startDate: start, endDate: end };
}

interface SurveyReaderDeps extends Pick<ParkedIn, 'damage'> {
  readonly readModels: ReadModelReader;
  readonly log: EventReader;
}

/** Survey reads. A 503 where a shown survey's stream is parked. */
export class SurveyReader {
  readonly #deps: SurveyReaderDeps;

  constructor(deps: SurveyReaderDeps) {
    this.#deps = deps;
  }

  async get(companyId: number, surveyId: number): Promise<Survey | undefined> {
    const document = await this.#deps.readModels.get('surveys', [companyId, surveyId]);
    const broken = await this.#parkedOf(companyId);
    if (document !== undefined) broken.add(surveyStream(surveyId));
    await this.#refuse((stream) => stream === surveyStream(surveyId) && broken.has(stream));
    return document && surveys.surveyAnswer(parseSurvey(Buffer.from(document).toString()));
  }

  async list(companyId: number, state?: number): Promise<SurveyListItem[]> {
    const broken = await this.#parkedOf(companyId);
    await this.#refuse((stream) => broken.has(stream));
    const items: SurveyListItem[] = [];
    for await (const { value } of this.#deps.readModels.find('surveys', { prefix: [companyId] })) {
      const item = listItem(asBuffer(value));
      refuseDamaged(this.#deps.damage, surveyStream(item.id));
      if (state === undefined || item.state === state) items.push(item);
    }
    return items;
  }

  #refuse(isConcerned: (stream: string) => boolean): Promise<void> {
    return refuseParked(this.#deps, isConcerned);
  }

  /** Nearly always empty, so the log is rarely read. */
  async #parkedOf(companyId: number): Promise<Set<string>> {
    const broken = new Set<string>();
    for (const { stream } of await this.#deps.readModels.parkedStreams()) {
      if (!stream.startsWith(surveyStream(0).slice(0, -1))) continue;
      const last = await this.#deps.log.readLast(stream);
      if (last && loadEvent(this.#deps.log, last).metadata.companyId === companyId) broken.add(stream);
    }
    return broken;
  }
}
