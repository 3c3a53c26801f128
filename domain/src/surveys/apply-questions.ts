import { codes, type StoredQuestion, type SurveyContent } from '@rollcall/contracts';
import { applyOptions, arrange, UnaddressedPool } from './apply-options.js';
import { isPage, textsFingerprint, type Texts } from './read-texts.js';
import type { QuestionSent } from './read-question.js';

type QuestionsAfter = Pick<SurveyContent, 'questions' | 'lastKey'>;

const questionKey = (number: number): string => `Q${number}`;
const numberOf = (key: string): number => Number(key.slice(1));

/** Whether the Key was ever given, also to a removed question. */
export function wasQuestion(lastKey: number, key: string): boolean {
  const number = numberOf(key);
  return Number.isInteger(number) && number >= 1 && number <= lastKey && key === questionKey(number);
}

const fingerprint = (type: number | null, texts: Texts, options: readonly Texts[]): string =>
  JSON.stringify([type, textsFingerprint(texts), options.map(textsFingerprint)]);

const fingerprintOfSent = ({ type, texts, options }: QuestionSent): string =>
  fingerprint(
    type,
    texts,
    options.map((option) => option.texts),
  );

const fingerprintOfStored = ({ type, texts, answerOptions }: StoredQuestion): string =>
  fingerprint(
    type,
    texts,
    (answerOptions ?? []).map((option) => option.Texts),
  );

/** The existing question of each sent one; undefined: insert. */
function identifier(before: QuestionsAfter, addressed: ReadonlySet<string | null>) {
  const stored = new Map(before.questions.map((question) => [question.key, question]));
  const byType = new Map(before.questions.map((question) => [question.type, question]));
  const pool = new UnaddressedPool(
    before.questions
      .filter(({ key }) => !addressed.has(key))
      .sort((a, b) => numberOf(a.key) - numberOf(b.key)),
    fingerprintOfStored,
  );
  return (question: QuestionSent): StoredQuestion | undefined => {
    if (question.key !== null) return stored.get(question.key);
    if (question.type !== null && isPage(question.type)) return byType.get(question.type);
    return pool.take(fingerprintOfSent(question));
  };
}

function withValues(key: string, existing: StoredQuestion | undefined, sent: QuestionSent): StoredQuestion {
  const question = { key, type: sent.type ?? 0, texts: { ...sent.texts } };
  if (sent.type !== codes.questionType.AnswerOptions) return question;
  const options = { answerOptions: existing?.answerOptions ?? [], lastOption: existing?.lastOption ?? 0 };
  return { ...question, ...applyOptions(key, options, sent.options) };
}

/**
 * Without Key, a question matches a page, or an unaddressed one with equal Type, Texts and options, in order of creation:
 * a repeated update inserts nothing twice. Keys are never reused.
 */
export function applyQuestions(before: QuestionsAfter, sent: readonly QuestionSent[]): QuestionsAfter {
  const addressed = new Set(sent.map(({ key }) => key));
  const identify = identifier(before, addressed);
  let { lastKey } = before;
  const put = (question: QuestionSent): StoredQuestion => {
    const existing = identify(question);
    if (existing && question.key === null && !isPage(existing.type)) return existing;
    return withValues(existing?.key ?? questionKey(++lastKey), existing, question);
  };
  const staying = sent.filter((question) => !question.deleted).map(put);
  const questions = arrange({
    before: before.questions,
    sent: staying,
    addressed,
    keyOf: (question) => question.key,
  });
  return { questions, lastKey };
}
