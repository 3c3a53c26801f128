import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Queue messages carry ids, never payloads: what they speak of stands in the log (design: "The way of the data"). */
export const CompanyHasWork = Type.Object({
  type: Type.Literal('company-has-work'),
  companyId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
export type CompanyHasWork = Static<typeof CompanyHasWork>;

const check = Compile(CompanyHasWork);

export const isCompanyHasWork = (value: unknown): value is CompanyHasWork => check.Check(value);
