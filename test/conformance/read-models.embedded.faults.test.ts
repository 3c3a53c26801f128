import { readModelsCrashConformance } from './read-models.suite.js';

readModelsCrashConformance({ adapter: 'embedded', locate: (t) => t.testdir(), transactions: true });
