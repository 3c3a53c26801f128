import { isArray } from '@rollcall/employee-lists/text';
import { isPositiveId, isSurveyState, maxStateChanges, surveyStateRule } from './limits.js';

export interface StateChangeReading {
  readonly state: number;
  /** Each once, in the order sent. */
  readonly surveyIds: readonly number[];
  readonly problems: readonly string[];
}

/** Reads `ChangeState/{state}` and its array of survey ids, and finds every problem. */
export function readStateChange(state: string, body: unknown): StateChangeReading {
  const problems: string[] = [];
  const to = /^\d$/.test(state) ? Number(state) : 0;
  if (!isSurveyState(to)) problems.push(`The state in the path ${surveyStateRule}`);
  if (!isArray(body))
    return { state: to, surveyIds: [], problems: [...problems, 'The body must be an array of survey ids'] };
  if (body.length > maxStateChanges) {
    problems.push(`The body must have at most ${maxStateChanges} survey ids`);
    return { state: to, surveyIds: [], problems };
  }
  body.forEach((id, at) => {
    if (!isPositiveId(id)) problems.push(`[${at}] must be a survey id, a positive integer`);
  });
  return { state: to, surveyIds: [...new Set(body.filter(isPositiveId))], problems };
}
