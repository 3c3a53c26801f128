import t from 'tap';
import { switchTests } from './switches.suite.js';

switchTests(t, 1_000, (_t, { readModels }) => Promise.resolve(readModels));
