import { read, type Caller, type Roll } from './caller.js';

interface Content {
  readonly name: string;
  readonly state: number;
}

interface Known {
  readonly definitionId: number;
  /** What was answered last. */
  readonly content: Content;
  /** What was sent and not answered. */
  readonly unanswered?: Content;
}

interface ListedSurvey extends Content {
  readonly id: number;
  readonly surveyDefinitionId: number;
}

interface ReadSurvey extends ListedSurvey {
  readonly questions: readonly { readonly texts: Readonly<Record<string, string>> }[];
}

const mostCalls = 60;

/** The name stands in every text, so that half an update would show. */
const bodyOf = (companyId: number, { name, state }: Content): object => ({
  Name: name,
  CompanyId: companyId,
  Start: '2026-05-01T02:00:00Z',
  End: '2026-06-01T02:00:00Z',
  State: state,
  Questions: [1, 3, 99].map((Type) => ({ Type, Texts: { 1045: name } })),
});

/** One caller's surveys: each is created, updated and moved by this caller alone. */
export class SurveyLoad {
  readonly #companyId: number;
  readonly #label: string;
  readonly #roll: Roll;
  readonly #known = new Map<number, Known>();
  /** Names of creations without an answer. */
  #unanswered = new Set<string>();
  #serial = 0;

  constructor(companyId: number, label: string, roll: Roll) {
    this.#companyId = companyId;
    this.#label = label;
    this.#roll = roll;
  }

  #content(): Content {
    return { name: `${this.#label}-${++this.#serial}`, state: 1 + this.#roll(3) };
  }

  async run(call: Caller): Promise<void> {
    for (let count = 0; count < mostCalls; count++) if (!(await this.#once(call))) return;
  }

  /** One call; false when no answer came. */
  #once(call: Caller): Promise<boolean> {
    const ids = [...this.#known.keys()].slice(-20);
    const id = ids[this.#roll(ids.length)];
    const known = id === undefined ? undefined : this.#known.get(id);
    if (id === undefined || !known || this.#roll(3) === 0) return this.#create(call);
    return this.#roll(2) === 0 ? this.#update(call, id, known) : this.#move(call, id, known);
  }

  async #create(call: Caller): Promise<boolean> {
    const content = this.#content();
    const reply = await call('POST', '/v1.0/survey', bodyOf(this.#companyId, content));
    if (!reply) this.#unanswered.add(content.name);
    if (!accepted(reply)) return false;
    const id = Number(reply.text);
    const { surveyDefinitionId } = await this.#readUntilThere(call, id);
    if (surveyDefinitionId === 0) {
      // Answered, and the server died before the definition's id could be read: it is learned from the list.
      this.#known.set(id, { definitionId: 0, content });
      return false;
    }
    this.#known.set(id, { definitionId: surveyDefinitionId, content });
    return true;
  }

  async #readUntilThere(call: Caller, id: number): Promise<{ surveyDefinitionId: number }> {
    for (;;) {
      const reply = await call('GET', `/v1.0/Survey/${id}`);
      if (!reply) return { surveyDefinitionId: 0 };
      if (reply.status === 200) return JSON.parse(reply.text) as ReadSurvey;
    }
  }

  #update(call: Caller, id: number, known: Known): Promise<boolean> {
    const content = this.#content();
    const body = {
      ...bodyOf(this.#companyId, content),
      Id: id,
      SurveyDefinitionId: known.definitionId,
      Questions: ['Q1', 'Q2', 'Q3'].map((Key, index) => ({
        Key,
        Type: [1, 3, 99][index],
        Texts: { 1045: content.name },
      })),
    };
    return this.#change(call('POST', '/v1.0/survey/Update', body), id, content);
  }

  #move(call: Caller, id: number, known: Known): Promise<boolean> {
    const state = 1 + this.#roll(3);
    const reply = call('POST', `/v1.0/Survey/ChangeState/${state}`, [id]);
    return this.#change(reply, id, { name: known.content.name, state });
  }

  async #change(sent: Promise<Awaited<ReturnType<Caller>>>, id: number, content: Content): Promise<boolean> {
    const answered = accepted(await sent);
    const known = this.#known.get(id);
    if (known) this.#known.set(id, answered ? { ...known, content } : { ...known, unanswered: content });
    return answered;
  }

  /** What is wrong with what the system says, after everything in its log is projected. */
  async problems(call: Caller): Promise<string[]> {
    const all = await read<ListedSurvey[]>(call, `/v1.0/Survey?companyId=${this.#companyId}`);
    const listed = all.filter(({ id, name }) => this.#known.has(id) || this.#unanswered.has(name));
    const found = [...this.#missing(listed)];
    for (const survey of listed) found.push(...(await this.#check(call, survey)));
    this.#unanswered = new Set();
    return found;
  }

  #missing(listed: readonly ListedSurvey[]): string[] {
    const ids = new Set(listed.map(({ id }) => id));
    const names = listed.map(({ name }) => name);
    return [
      ...[...this.#known.keys()]
        .filter((id) => !ids.has(id))
        .map((id) => `the answered survey ${id} is gone`),
      ...(ids.size === listed.length && new Set(names).size === names.length
        ? []
        : ['a survey stands twice']),
    ];
  }

  async #check(call: Caller, survey: ListedSurvey): Promise<string[]> {
    const { id, name, state, surveyDefinitionId } = survey;
    const known = this.#known.get(id);
    const possible = known ? [known.content, known.unanswered] : [{ name, state }];
    const touched = known === undefined || known.unanswered !== undefined || known.definitionId === 0;
    this.#known.set(id, { definitionId: surveyDefinitionId, content: { name, state } });
    if (!possible.some((content) => content?.name === name && content.state === state))
      return [`survey ${id} is not what was answered`];
    if (!touched) return [];
    const { questions } = await read<ReadSurvey>(call, `/v1.0/Survey/${id}`);
    const whole = questions.length === 3 && questions.every(({ texts }) => texts['1045'] === name);
    return whole ? [] : [`survey ${id} is half updated`];
  }
}

/** Whether the call was answered and carried out; a refusal of these calls is a mistake. */
function accepted(reply: Awaited<ReturnType<Caller>>): reply is NonNullable<typeof reply> {
  if (reply && reply.status !== 200) throw new Error(`A survey call answered ${reply.status}: ${reply.text}`);
  return reply !== undefined;
}
