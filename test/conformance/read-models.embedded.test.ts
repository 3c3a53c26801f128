import { readModelsConformance } from './read-models.suite.js';

readModelsConformance({ adapter: 'embedded', locate: (t) => t.testdir(), transactions: true });
