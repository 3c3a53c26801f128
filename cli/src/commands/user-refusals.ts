import type { apiUsers } from '@rollcall/domain';
import { Refusal } from '../refusal.js';

export function userRefusal(rejection: apiUsers.ApiUserRejection): Refusal {
  switch (rejection.reason) {
    case 'name-invalid':
      return new Refusal(`--name ${rejection.problem}.`);
    case 'company-invalid':
      return new Refusal('--company must be an integer from 1 to 9007199254740991.');
    case 'jti-invalid':
      return new Refusal('--jti must be the id of a token, of at most 255 characters.');
    case 'user-unknown':
      return new Refusal(`There is no API user ${rejection.userId}.`);
    case 'user-revoked':
      return new Refusal(`API user ${rejection.userId} is revoked: add a new one.`);
    default:
      return rejection satisfies never;
  }
}
