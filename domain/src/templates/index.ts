export { type SetTemplate, decide } from './decide.js';
export {
  defaultTemplate,
  languageOf,
  templateInForce,
  escapeHtml,
  fillTemplate,
  onOneLine,
} from './defaults.js';
export { evolve, initialState, type TemplatesState } from './evolve.js';
export type { TemplateProblem, TemplateRejection } from './check.js';
