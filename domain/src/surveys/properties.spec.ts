import type { StoredQuestion, SurveyContent } from '@rollcall/contracts';
import fc from 'fast-check';
import tap, { type Test } from 'tap';
import { scaled } from '@rollcall/employee-lists/testing';
import type { SurveyDecision } from './decide.js';
import * as surveys from './index.js';

/** Few different texts, so that questions and options often equal each other. */
const texts = fc.constantFrom<Record<string, string>>({ '1': 'a' }, { '1': 'b' }, { '1': 'a', '2': 'c' });
const page = (Type: number) => fc.record({ Type: fc.constant(Type), Texts: texts });
const options = fc.array(fc.record({ Texts: texts }), { minLength: 1, maxLength: 3 });
const fresh = fc.oneof(
  fc.record({ Type: fc.constantFrom(3, 4), Texts: texts }),
  fc.record({ Type: fc.constant(2), Texts: texts, AnswerOptions: options }),
);
const survey = {
  Name: 'P',
  CompanyId: 1,
  Start: '2026-01-01T00:00:00Z',
  End: '2026-01-02T00:00:00Z',
  State: 1,
};

/** Pages, in places that vary, among the rest. */
const body = <T extends object>(rest: fc.Arbitrary<T[]>) =>
  fc.tuple(rest, page(1), page(99), fc.nat(), fc.nat()).map(([questions, cover, thanks, a, b]): object[] => {
    const all: object[] = [...questions];
    all.splice(a % (all.length + 1), 0, cover);
    all.splice(b % (all.length + 1), 0, thanks);
    return all;
  });

const creation = body(fc.array(fresh, { maxLength: 6 }));

type Touch = 'absent' | 'keyed' | 'changed' | 'deleted' | 'unkeyed';
const touch = fc.constantFrom<Touch>('absent', 'keyed', 'changed', 'deleted', 'unkeyed');
/** What an update does to the n-th question and to the n-th option, what it inserts, and how it is shuffled. */
const plan = fc.record({
  questions: fc.array(touch, { minLength: 24, maxLength: 24 }),
  options: fc.array(touch, { minLength: 24, maxLength: 24 }),
  inserted: fc.array(fresh, { maxLength: 4 }),
  insertedOptions: fc.array(fc.record({ Texts: texts }), { maxLength: 2 }),
  newTexts: texts,
  order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

function shuffled<T>(items: readonly T[], order: readonly number[]): T[] {
  return items
    .map((item, at) => ({ item, rank: order[at % order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

type StoredOption = NonNullable<StoredQuestion['answerOptions']>[number];

/** The first option is never deleted: one must remain. */
const optionTouches: Record<Touch, (option: StoredOption, how: Plan, at: number) => object[]> = {
  absent: () => [],
  keyed: ({ LabelKey, Texts }) => [{ LabelKey, Texts }],
  changed: ({ LabelKey }, how) => [{ LabelKey, Texts: how.newTexts }],
  deleted: ({ LabelKey, Texts }, _how, at) => [at === 0 ? { LabelKey, Texts } : { LabelKey, Deleted: true }],
  unkeyed: ({ Texts }) => [{ Texts }],
};

const touchAt = (touches: readonly Touch[], at: number): Touch => touches[at % touches.length] ?? 'absent';
const isPage = ({ type }: StoredQuestion): boolean => type === 1 || type === 99;

function optionUpdates({ type, answerOptions = [] }: StoredQuestion, how: Plan): object[] | null {
  if (type !== 2) return null;
  const sent = answerOptions.flatMap((option, at) =>
    optionTouches[touchAt(how.options, at)](option, how, at),
  );
  const all = [...sent, ...how.insertedOptions];
  return all.length > 0 ? all : [{ Texts: how.newTexts }];
}

const withoutKey = ({ type, texts, answerOptions }: StoredQuestion): object[] => [
  { Type: type, Texts: texts, AnswerOptions: answerOptions?.map(({ Texts }) => ({ Texts })) ?? null },
];

const withKey = (question: StoredQuestion, how: Plan, Texts: Record<string, string>): object[] => [
  { Key: question.key, Type: question.type, Texts, AnswerOptions: optionUpdates(question, how) },
];

/** The pages are always sent. */
const questionTouches: Record<Touch, (question: StoredQuestion, how: Plan) => object[]> = {
  absent: (question) => (isPage(question) ? withoutKey(question) : []),
  keyed: (question, how) => withKey(question, how, question.texts),
  changed: (question, how) => withKey(question, how, how.newTexts),
  deleted: (question) => (isPage(question) ? withoutKey(question) : [{ Key: question.key, Deleted: true }]),
  unkeyed: withoutKey,
};

function updateOf(before: SurveyContent, how: Plan): object[] {
  const sent = before.questions.flatMap((question, at) =>
    questionTouches[touchAt(how.questions, at)](question, how),
  );
  return shuffled([...sent, ...how.inserted], how.order);
}

function after(decision: SurveyDecision, before?: SurveyContent): SurveyContent {
  if (decision.kind === 'events' && decision.events[0]) return decision.events[0].data;
  if (decision.kind === 'nothing' && before) return before;
  throw new Error(JSON.stringify(decision));
}

const create = (Questions: object[]): SurveyContent =>
  after(
    surveys.decide(
      {
        name: 'CreateSurvey',
        companyId: 1,
        surveyId: 1,
        surveyDefinitionId: 2,
        reading: surveys.readSurvey({ ...survey, Questions }, 'create'),
      },
      surveys.initialState(),
    ),
  );

const update = (before: SurveyContent, Questions: object[]): SurveyDecision =>
  surveys.decide(
    {
      name: 'UpdateSurvey',
      companyId: 1,
      reading: surveys.readSurvey({ ...survey, Id: 1, SurveyDefinitionId: 2, Questions }, 'update'),
    },
    // As a fold of the log gives it.
    { status: 'present', survey: JSON.parse(JSON.stringify(before)) as SurveyContent },
  );

const history = fc.tuple(creation, fc.array(plan, { minLength: 1, maxLength: 4 }));

/** Runs a history and shows each step: the body, and the survey before and after. */
function* steps([first, plans]: [object[], Plan[]]) {
  let before = create(first);
  for (const how of plans) {
    const questions = updateOf(before, how);
    const now = after(update(before, questions), before);
    yield { before, questions, how, after: now };
    before = now;
  }
}

const keyed = (content: SurveyContent) =>
  new Map(content.questions.map((question) => [question.key, question]));
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const areDistinct = (items: readonly unknown[]): boolean => new Set(items).size === items.length;
const valuesOf = (question: StoredQuestion | undefined) =>
  question?.answerOptions?.map(({ Value }) => Value) ?? [];

type Step = ReturnType<typeof steps> extends Generator<infer T> ? T : never;

/** A property of every step of every history. */
const always = (holds: (step: Step) => boolean) =>
  fc.property(history, (run) => {
    for (const step of steps(run)) if (!holds(step)) throw new Error(JSON.stringify(step, null, 1));
  });

function valuesAreNew(question: StoredQuestion, old: StoredQuestion | undefined): boolean {
  const before = valuesOf(old);
  const added = valuesOf(question).filter((value) => !before.includes(value));
  return added.every((value) => value > (old?.lastOption ?? 0) && value <= (question.lastOption ?? 0));
}

/** The non-pages of a step that met this touch. */
const touched = ({ before, how }: Step, ...touches: Touch[]): StoredQuestion[] =>
  before.questions.filter(
    (question, at) => !isPage(question) && touches.includes(touchAt(how.questions, at)),
  );

/** The nearest question in front of this one that is still there. */
function neighbour(
  questions: readonly StoredQuestion[],
  key: string,
  still: ReadonlySet<string>,
): string | undefined {
  const at = questions.findIndex((question) => question.key === key);
  return questions.slice(0, at).findLast((question) => still.has(question.key))?.key;
}

/** Not told apart: a question without Key that equals an absent one is that one, and is put where it is sent. */
const mayBeSent = (question: StoredQuestion, sent: readonly object[]): boolean =>
  sent.some((other) => !('Key' in other) && 'Texts' in other && same(other.Texts, question.texts));

tap.test('whatever the history', async (t) => {
  const check = (t: Test, holds: (step: Step) => boolean) =>
    fc.assert(
      always(holds),
      scaled(20_000, (note) => t.comment(note)),
    );

  t.test('a repeated update changes nothing', async (t) => {
    check(t, ({ after, questions }) => update(after, questions).kind === 'nothing');
  });

  t.test('no Key, LabelKey or Value is ever given again', async (t) => {
    check(t, ({ before, after }) => {
      const known = keyed(before);
      return (
        areDistinct(after.questions.map(({ key }) => key)) &&
        after.questions.every(({ key }) => known.has(key) || Number(key.slice(1)) > before.lastKey) &&
        after.questions.every((question) => areDistinct(valuesOf(question))) &&
        after.questions.every((question) => valuesAreNew(question, known.get(question.key)))
      );
    });
  });

  t.test(
    'what is absent, or sent as it is without Key, stays as it was; what is deleted is gone',
    async (t) => {
      check(t, (step) => {
        const now = keyed(step.after);
        return (
          touched(step, 'absent', 'unkeyed').every((question) => same(now.get(question.key), question)) &&
          touched(step, 'deleted').every(({ key }) => !now.has(key)) &&
          step.after.questions.filter(isPage).length === 2
        );
      });
    },
  );

  t.test('what is absent stays behind what it stood behind', async (t) => {
    check(t, (step) => {
      const { before, after, questions } = step;
      const still = new Set(after.questions.map(({ key }) => key));
      const all = new Set([...keyed(before).keys(), ...still]);
      return touched(step, 'absent')
        .filter((question) => !mayBeSent(question, questions))
        .every(({ key }) => neighbour(before.questions, key, still) === neighbour(after.questions, key, all));
    });
  });

  t.test('what is sent with a Key stands in the order sent', async (t) => {
    check(t, ({ questions, after }) => {
      const sent = questions.flatMap((q) => ('Key' in q && !('Deleted' in q) ? [q.Key] : []));
      return same(
        after.questions.map(({ key }) => key).filter((key) => sent.includes(key)),
        sent,
      );
    });
  });
});
