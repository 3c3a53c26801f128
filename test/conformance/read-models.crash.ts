import type { DocumentWrite } from '@rollcall/application';
import { applied, put } from './read-models.support.js';

export const STREAM = 'company-7';
export const DOCUMENTS = 300;

/** What an event writes: so many documents, each with an entry of an index, and behind them that it is applied. */
export const eventOf = (revision: number, documents: number): DocumentWrite[][] => [
  Array.from({ length: documents }, (_, n) =>
    put([n], { revision }, { revision, collection: 'dated', indexed: { due: [7, revision], size: [n] } }),
  ),
  [applied(STREAM, revision)],
];
