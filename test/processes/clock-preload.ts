import { readFileSync } from 'node:fs';

/** Loaded before a service: its host's clock is wrong by the ms that the file `CLOCK_FILE` holds. */
const file = process.env['CLOCK_FILE'] ?? '';
const now = Date.now.bind(Date);
let [wrongBy, readAt] = [0, -Infinity];

Date.now = () => {
  const at = performance.now();
  if (at - readAt > 10) [wrongBy, readAt] = [Number(readFileSync(file, 'utf8')), at];
  return now() + wrongBy;
};
