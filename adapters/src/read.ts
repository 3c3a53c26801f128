export { openReadingAdapters, type ReadingAdapters } from './open-for-reading.js';
export { type Closable, openInParts } from './parts.js';
export { isAlive, machine } from './process-lifetime.js';
export { openEmbeddedReadModels } from './read-models/embedded/open.js';
