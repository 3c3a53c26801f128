export interface InvitedEmployee {
  readonly companyId: number;
  readonly number: number;
  readonly messageId: string;
  readonly now: number;
}

export type LinkFor = (invited: InvitedEmployee) => string;
