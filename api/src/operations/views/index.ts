import type { PageApp } from '../frame/page-app.js';
import { processesRoute } from './processes.js';
import { startView } from './start.js';

/** Each registers its routes. */
export const views: readonly ((page: PageApp) => void)[] = [startView, processesRoute];
