import { buildIfStale } from './build-if-stale.js';

buildIfStale();
await import('../../standalone/dist/main.js');
