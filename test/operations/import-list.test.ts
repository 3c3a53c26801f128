import { importListSuite } from './import-list.suite.js';

importListSuite((on) => Promise.resolve(on.readModels));
