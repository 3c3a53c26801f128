import { Type, type Static } from 'typebox';
import { Language } from '../values/language.js';

export const EnabledLanguages = Type.Array(Type.Object(Language.properties, { title: 'Language' }));
export type EnabledLanguages = Static<typeof EnabledLanguages>;
