import { Type, type Static } from 'typebox';
import { Language } from '../events/company-events.js';

/** `GET /v1.0/Company/{companyId}/Language/Enabled`. */
export const EnabledLanguages = Type.Array(Type.Object(Language.properties, { title: 'Language' }));
export type EnabledLanguages = Static<typeof EnabledLanguages>;
