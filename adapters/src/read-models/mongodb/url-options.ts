import type { MongoClientOptions } from 'mongodb';
import { ConfigInvalid } from '../../config-invalid.js';

export const durableOptions = (writeMs: number): MongoClientOptions => ({
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: writeMs },
  retryWrites: true,
});

/** Options in lower case, with their one allowed value. */
const ONLY: Readonly<Record<string, string>> = {
  readconcernlevel: 'majority',
  readpreference: 'primary',
  w: 'majority',
  journal: 'true',
  j: 'true',
  retrywrites: 'true',
};

/** `ConfigInvalid` where the connection string asks for less than the read models need. */
export function ensureDurable(url: string): void {
  for (const [name, value] of new URLSearchParams(url.split('?').slice(1).join('?'))) {
    const only = ONLY[name.toLowerCase()];
    if (only !== undefined && value.toLowerCase() !== only)
      throw new ConfigInvalid(
        `MONGODB_URL has the option ${name} with another value than ${only}: leave it out, read models are always ` +
          `read and written with ${only}`,
      );
  }
}
