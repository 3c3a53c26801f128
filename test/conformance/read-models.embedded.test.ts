import { readModelsConformance } from './read-models.suite.js';

readModelsConformance('embedded', (t) => t.testdir());
