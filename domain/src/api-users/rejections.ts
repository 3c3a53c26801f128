export type ApiUserRejection =
  | { readonly reason: 'name-invalid'; readonly problem: string }
  | { readonly reason: 'company-invalid' }
  | { readonly reason: 'jti-invalid' }
  | { readonly reason: 'user-unknown'; readonly userId: number }
  | { readonly reason: 'user-revoked'; readonly userId: number };
